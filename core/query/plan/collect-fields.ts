// Flattens the selection sets of one field for one concrete type: fragments opened, conditions decided, same keys merged.

import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import type { Variables } from "../level/selection.ts";

export interface CollectContext {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Undefined: conditions that depend on a variable count as met. */
  readonly variables: Variables | undefined;
  /** Called with the number of selections visited; throws when they are too many. */
  readonly looked?: (selections: number) => void;
}

/** One key of the answer. `nodes` are the fields that ask for it, in document order; the first one's arguments count (they are equal). */
export interface CollectedField {
  readonly key: string;
  readonly name: string;
  readonly node: FieldNode;
  readonly nodes: readonly FieldNode[];
  /** The type condition of the nearest fragment around the first of `nodes`; undefined: none. */
  readonly within: string | undefined;
}

export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((each) => [each.name.value, each]));
}

/**
 * The fields that an object of `typeName` shows (for an interface or union: of any of its types), merged over all `parents`, in the order of their first appearance. A fragment is looked
 * into once: thirty that each spread the next one twice are a page of text and a thousand million fields.
 */
export function collectFields(
  context: CollectContext,
  typeName: string,
  parents: readonly { readonly selectionSet?: SelectionSetNode | undefined }[],
): readonly CollectedField[] {
  const byKey = new Map<string, { readonly nodes: FieldNode[]; readonly within: string | undefined }>();
  const seen = new Set<string>();
  const visit = (selections: readonly SelectionNode[], within: string | undefined): void => {
    context.looked?.(selections.length);
    for (const selection of selections) {
      if (!isIncluded(selection, context.variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = byKey.get(key);
        if (known) known.nodes.push(selection);
        else byKey.set(key, { nodes: [selection], within });
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (seen.has(selection.name.value)) continue;
        seen.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? context.fragments.get(selection.name.value) : selection;
      const condition = fragment?.typeCondition?.name.value;
      if (fragment && applies(context.schema, condition, typeName)) visit(fragment.selectionSet.selections, condition ?? within);
    }
  };
  for (const parent of parents) visit(parent.selectionSet?.selections ?? [], undefined);
  return [...byKey].flatMap(([key, { nodes, within }]) => {
    const [node] = nodes;
    return node ? [{ key, name: node.name.value, node, nodes: distinct(nodes), within }] : [];
  });
}

/** Two parents may be the same. */
function distinct(nodes: readonly FieldNode[]): readonly FieldNode[] {
  return nodes.length === 1 ? nodes : [...new Set(nodes)];
}

export interface FieldPlace {
  readonly field: FieldNode;
  /** No condition decides whether it is there. */
  readonly always: boolean;
}

/** Every field of a selection set, fragments opened and conditions left alone, in document order. A field may be named twice. */
export function placesOf(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): readonly FieldPlace[] {
  const places: FieldPlace[] = [];
  /** The fragments visited, and whether they were unconditional then. */
  const seen = new Map<string, { readonly always: boolean }>();
  const walk = (selections: readonly SelectionNode[], within: { readonly always: boolean }): void => {
    for (const selection of selections) {
      const always = within.always && !hasCondition(selection);
      if (selection.kind === Kind.FIELD) places.push({ field: selection, always });
      else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet.selections, { always });
      else {
        const before = seen.get(selection.name.value);
        if (before?.always || (before && !always)) continue;
        seen.set(selection.name.value, { always });
        walk(fragments.get(selection.name.value)?.selectionSet.selections ?? [], { always });
      }
    }
  };
  walk(set.selections, { always: true });
  return places;
}

function hasCondition(selection: SelectionNode): boolean {
  return (selection.directives ?? []).some((each) => each.name.value === "skip" || each.name.value === "include");
}

function applies(schema: GraphQLSchema, condition: string | undefined, typeName: string): boolean {
  if (condition === undefined || condition === typeName) return true;
  const abstract = schema.getType(condition);
  const concrete = schema.getType(typeName);
  // The document is valid: a fragment can only name a type that overlaps.
  if (isAbstractType(concrete)) return true;
  return isAbstractType(abstract) && isObjectType(concrete) && schema.isSubType(abstract, concrete);
}

/** Whether both `@skip` and `@include` let the selection in. */
export function isIncluded(selection: SelectionNode, variables: Variables | undefined): boolean {
  for (const directive of selection.directives ?? []) {
    if (directive.name.value === "skip" && condition(directive, variables) === true) return false;
    if (directive.name.value === "include" && condition(directive, variables) === false) return false;
  }
  return true;
}

function condition(directive: DirectiveNode, variables: Variables | undefined): boolean | undefined {
  const value = directive.arguments?.find((each) => each.name.value === "if")?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  if (value?.kind === Kind.VARIABLE && variables) return variables[value.name.value] === true;
  return undefined;
}
