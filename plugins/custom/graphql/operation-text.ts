// The text of a remote operation with the client's selection.

import {
  type FieldNode,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import type { FieldSelection } from "../../../core/plugin.ts";
import type { RemoteOperation } from "../directive/remote-operation.ts";
import { literalOf } from "./literal.ts";

export function operationText({ definition, field }: RemoteOperation, selection: FieldSelection): string {
  const type = getNamedType(selection.type);
  if (!field || !isCompositeType(type)) return print(definition);
  const selectionSet = remoteSelection(selection, type.name, selection.nodes);
  return print({ ...definition, selectionSet: { ...definition.selectionSet, selections: [{ ...field, selectionSet }] } });
}

type Parents = readonly { readonly selectionSet?: SelectionSetNode | undefined }[];

/** What the client selects of `typeName`: aliases dropped, fragments merged where they apply to the whole type, values in place of variables. */
function remoteSelection(selection: FieldSelection, typeName: string, parents: Parents): SelectionSetNode {
  const fields = new Map<string, FieldNode[]>();
  const fragments = new Map<string, SelectionSetNode[]>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const each of selections) {
      if (!isIncluded(each, selection)) continue;
      if (each.kind === Kind.FIELD) push(fields, each.name.value + argumentsText(selection, typeName, each), each);
      else {
        const fragment = each.kind === Kind.INLINE_FRAGMENT ? each : selection.fragments.get(each.name.value);
        const condition = fragment?.typeCondition?.name.value ?? typeName;
        if (fragment && coversAll(selection, condition, typeName)) visit(fragment.selectionSet);
        else if (fragment) push(fragments, condition, fragment.selectionSet);
      }
    }
  };
  for (const { selectionSet } of parents) if (selectionSet) visit(selectionSet);
  const plain = [...fields.values()].flatMap((nodes) => remoteField(selection, typeName, nodes));
  const conditional = [...fragments].map(([condition, sets]) => inlineFragment(selection, condition, sets));
  // Which fragment applied is read from the reply.
  const named = conditional.length > 0 && !fields.has("__typename") ? [typename] : [];
  return { kind: Kind.SELECTION_SET, selections: [...named, ...plain, ...conditional] };
}

const typename: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: "__typename" } };

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

function inlineFragment(selection: FieldSelection, condition: string, sets: readonly SelectionSetNode[]): SelectionNode {
  return {
    kind: Kind.INLINE_FRAGMENT,
    typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: condition } },
    selectionSet: remoteSelection(
      selection,
      condition,
      sets.map((selectionSet) => ({ selectionSet })),
    ),
  };
}

/** A fragment on the type itself, or on an interface of it, applies to every object of the type. */
function coversAll({ schema }: FieldSelection, condition: string, typeName: string): boolean {
  if (condition === typeName) return true;
  const [wide, narrow] = [schema.getType(condition), schema.getType(typeName)];
  return isAbstractType(wide) && (isObjectType(narrow) || isInterfaceType(narrow)) && schema.isSubType(wide, narrow);
}

function remoteField(selection: FieldSelection, typeName: string, nodes: readonly FieldNode[]): readonly FieldNode[] {
  const [node] = nodes;
  if (!node) return [];
  const name = { kind: Kind.NAME, value: node.name.value } as const;
  const args = remoteArguments(selection, typeName, node);
  const type = getNamedType(fieldOf(selection, typeName, node.name.value)?.type);
  const selectionSet = type && isCompositeType(type) ? remoteSelection(selection, type.name, nodes) : undefined;
  return [{ kind: Kind.FIELD, name, arguments: args, ...(selectionSet && { selectionSet }) }];
}

function fieldOf({ schema }: FieldSelection, typeName: string, field: string) {
  const type = schema.getType(typeName);
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[field] : undefined;
}

/** The remote service does not get the client's variables: their values are written out. */
function remoteArguments(selection: FieldSelection, typeName: string, node: FieldNode): NonNullable<FieldNode["arguments"]> {
  const definition = fieldOf(selection, typeName, node.name.value);
  return (node.arguments ?? []).flatMap((argument) => {
    const type = definition?.args.find(({ name }) => name === argument.name.value)?.type;
    const value = literalOf(argument.value, type, selection.variables);
    return value ? [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: argument.name.value }, value } as const] : [];
  });
}

function argumentsText(selection: FieldSelection, typeName: string, node: FieldNode): string {
  return (node.arguments ?? []).length === 0 ? "" : remoteArguments(selection, typeName, node).map(print).join(",");
}

function isIncluded({ directives = [] }: SelectionNode, { variables }: FieldSelection): boolean {
  return directives.every(({ name, arguments: given = [] }) => {
    const value = given.find((each) => each.name.value === "if")?.value;
    const on = value?.kind === Kind.VARIABLE ? variables[value.name.value] === true : value?.kind === Kind.BOOLEAN && value.value;
    return name.value === "skip" ? !on : name.value !== "include" || on;
  });
}
