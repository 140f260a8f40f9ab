// Writes the arguments of directives as the definitions of these directives ask. Schemas may write `@search(by: [term])` where the definition
// says String; tools that read directives by their definitions refuse that.

import {
  type ArgumentNode,
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ListValueNode,
  type ObjectFieldNode,
  type ObjectValueNode,
  type TypeNode,
  type ValueNode,
  visit,
} from "graphql";
import type { Work } from "../../../ground/work.ts";

/** Definitions that are looked at in one turn. */
const definitionsAtOnce = 64;

/** `document` with values that the definitions can coerce. A value that has no such form is left out, with the directive where it is required. */
export function* withCoercibleDirectives(document: DocumentNode): Work<DocumentNode> {
  const definitions = definitionsIn(document);
  const changed: DefinitionNode[] = [];
  for (const [i, definition] of document.definitions.entries()) {
    if (i % definitionsAtOnce === 0) yield;
    changed.push(definition.kind === Kind.DIRECTIVE_DEFINITION ? definition : visit(definition, { Directive: (node) => coerced(node, definitions) }));
  }
  return { ...document, definitions: changed };
}

interface Definitions {
  readonly directives: ReadonlyMap<string, DirectiveDefinitionNode>;
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>;
  readonly inputs: ReadonlyMap<string, InputObjectTypeDefinitionNode>;
}

function definitionsIn({ definitions }: DocumentNode): Definitions {
  const named = <T extends DefinitionNode & { readonly name: { readonly value: string } }>(isOne: (node: DefinitionNode) => node is T) =>
    new Map(definitions.filter(isOne).map((node) => [node.name.value, node]));
  return {
    directives: named((node) => node.kind === Kind.DIRECTIVE_DEFINITION),
    enums: named((node) => node.kind === Kind.ENUM_TYPE_DEFINITION),
    inputs: named((node) => node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION),
  };
}

/** Null removes the directive; undefined leaves it as it is. */
function coerced(node: DirectiveNode, definitions: Definitions): DirectiveNode | null | undefined {
  const definition = definitions.directives.get(node.name.value);
  if (!definition) return undefined;
  const given = membersOf(node.arguments ?? [], definition.arguments ?? [], definitions);
  return given && { ...node, arguments: given };
}

type Given = ArgumentNode | ObjectFieldNode;

/** Null: one that is required has no value. */
function membersOf<T extends Given>(given: readonly T[], asked: readonly InputValueDefinitionNode[], definitions: Definitions): readonly T[] | null {
  const members: T[] = [];
  for (const { name, type, defaultValue } of asked) {
    const member = given.find((each) => each.name.value === name.value);
    const value = member && coercedValue(member.value, type, definitions);
    if (member && value) members.push({ ...member, value });
    else if (type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined) return null;
  }
  return members;
}

function coercedValue(value: ValueNode, type: TypeNode, definitions: Definitions): ValueNode | undefined {
  if (type.kind === Kind.NON_NULL_TYPE) return value.kind === Kind.NULL ? undefined : coercedValue(value, type.type, definitions);
  if (value.kind === Kind.NULL) return value;
  if (type.kind === Kind.NAMED_TYPE) return namedValue(value, type.name.value, definitions);
  return value.kind === Kind.LIST ? listOf(value, type.type, definitions) : coercedValue(value, type.type, definitions);
}

function listOf(list: ListValueNode, type: TypeNode, definitions: Definitions): ListValueNode | undefined {
  const values = list.values.flatMap((each) => coercedValue(each, type, definitions) ?? []);
  return values.length === list.values.length ? { ...list, values } : undefined;
}

function namedValue(value: ValueNode, name: string, definitions: Definitions): ValueNode | undefined {
  const input = definitions.inputs.get(name);
  if (input) return value.kind === Kind.OBJECT ? objectOf(value, input, definitions) : undefined;
  const allowed = definitions.enums.get(name)?.values;
  if (allowed) return isText(value) && allowed.some((each) => each.name.value === value.value) ? { kind: Kind.ENUM, value: value.value } : undefined;
  return builtIn.get(name)?.(value) ?? (builtIn.has(name) ? undefined : value);
}

function objectOf(object: ObjectValueNode, { fields = [] }: InputObjectTypeDefinitionNode, definitions: Definitions) {
  const members = membersOf(object.fields, fields, definitions);
  return members ? { ...object, fields: members } : undefined;
}

function isText(value: ValueNode): value is Extract<ValueNode, { kind: Kind.STRING | Kind.ENUM }> {
  return value.kind === Kind.STRING || value.kind === Kind.ENUM;
}

type Conversion = (value: ValueNode) => ValueNode | undefined;

const text: Conversion = (value) => ("value" in value ? { kind: Kind.STRING, value: String(value.value) } : undefined);
const only =
  (...kinds: readonly Kind[]): Conversion =>
  (value) =>
    kinds.includes(value.kind) ? value : undefined;

/** A custom scalar takes any value. */
const builtIn: ReadonlyMap<string, Conversion> = new Map([
  ["String", text],
  ["ID", text],
  ["Int", only(Kind.INT)],
  ["Float", only(Kind.INT, Kind.FLOAT)],
  ["Boolean", only(Kind.BOOLEAN)],
]);
