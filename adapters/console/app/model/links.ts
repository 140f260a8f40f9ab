// Links: the nodes that one can lead to, how they are searched, and how an input names them.

import { type GraphQLInputObjectType, getNamedType, isAbstractType, isInputObjectType } from "graphql";
import { isList, isObject, type Json, type JsonObject, textOf } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "./api-model.ts";
import { keyOf, labelOf, type NodeKey } from "./nodes.ts";
import { indexedOperators, type Operator } from "./operators.ts";

/** A node at the other side of a link. */
export interface LinkedNode {
  readonly type: NodeType;
  readonly key: NodeKey;
  readonly label: string;
}

export function linkedNode(type: NodeType, row: JsonObject): LinkedNode | undefined {
  const key = keyOf(type, row);
  return key && { type, key, label: labelOf(type, row) };
}

/** The types whose nodes the link can lead to: that of the field, or the members of its union. */
export function targetsOf(model: ApiModel, { named }: Pick<Field, "named">): readonly NodeType[] {
  const own = model.type(named);
  if (own !== undefined) return [own];
  const abstract = model.schema.getType(named);
  if (!isAbstractType(abstract)) return [];
  return model.schema.getPossibleTypes(abstract).flatMap(({ name }) => model.type(name) ?? []);
}

/** The types of which a new node can be made at the other side: for an interface those that implement it. */
export function makeableTargets(model: ApiModel, { named }: Pick<Field, "named">): readonly NodeType[] {
  const type = model.schema.getType(named);
  const names = isAbstractType(type) ? model.schema.getPossibleTypes(type).map(({ name }) => name) : [named];
  return names.flatMap((name) => model.type(name) ?? []).filter(({ add }) => add !== undefined);
}

/** The input of the other side of a link, as the mutations of its type take it. */
export function referenceInput(type: NodeType, field: Pick<Field, "name">): GraphQLInputObjectType | undefined {
  const given = type.add?.input.getFields()[field.name] ?? type.update?.patch.getFields()[field.name];
  const named = given && getNamedType(given.type);
  return isInputObjectType(named) ? named : undefined;
}

/** What names an existing node, or makes a new one, at the other side. */
export function asReference(input: GraphQLInputObjectType, type: Pick<NodeType, "name">, value: JsonObject): JsonObject {
  const member = memberOf(input, type);
  return member === undefined ? value : { [member]: value };
}

/** Inputs of unions have a member for each type. */
function memberOf(input: GraphQLInputObjectType, { name }: Pick<NodeType, "name">): string | undefined {
  if (input.name === `${name}Ref`) return undefined;
  return Object.values(input.getFields()).find(({ type }) => getNamedType(type).name === `${name}Ref`)?.name;
}

export function referenceTo(type: NodeType, field: Pick<Field, "name">, node: Pick<LinkedNode, "type" | "key">): JsonObject {
  const input = referenceInput(type, field);
  if (input === undefined) throw new Error(`Links of ${type.name}.${field.name} cannot be written.`);
  return asReference(input, node.type, { [node.key.field]: node.key.value });
}

/** Makes a node at the other side. */
export function newReference(
  { type, field }: { readonly type: NodeType; readonly field: Pick<Field, "name"> },
  made: NodeType,
  value: JsonObject,
): JsonObject {
  const input = referenceInput(type, field);
  return input === undefined ? value : asReference(input, made, value);
}

/** Whether the search finds parts of words, or needs whole words and keys. */
export type Reach = "parts" | "words" | "keys";

/** What finds nodes by a text that somebody types: by keys, and by the indexes of texts. Undefined: nothing can. */
export function searchFilter(type: NodeType, text: string): JsonObject | undefined {
  const parts = type.fields.flatMap((field) => conditionsOn(type, { name: field.name, operators: indexedOperators(type, field) }, text));
  return parts.length === 0 ? undefined : { or: parts };
}

export function reachOf(type: NodeType): Reach {
  const names = type.fields.flatMap((field) => indexedOperators(type, field).filter(isOnText)).map(({ name }) => name);
  if (names.includes("regexp") || names.includes("lt")) return "parts";
  return names.some((name) => name === "allofterms" || name === "alloftext") ? "words" : "keys";
}

interface Searched {
  readonly name: string;
  readonly operators: readonly Operator[];
}

function conditionsOn(type: NodeType, { name, operators }: Searched, text: string): readonly JsonObject[] {
  const key = type.keys.find((each) => each.name === name);
  if (key?.kind === "id") return isId(text) ? [{ [name]: [text] }] : [];
  const has = (operator: string) => operators.some((each) => each.name === operator && isOnText(each));
  const on = (condition: JsonObject): JsonObject => ({ [name]: condition });
  const number = key !== undefined && (key.named === "Int" || key.named === "Int64") && /^-?\d{1,15}$/.test(text);
  return [
    ...(number ? [on({ eq: Number(text) })] : []),
    ...(has("eq") && key !== undefined ? [on({ eq: text })] : []),
    ...(has("ge") && has("lt") ? [on({ ge: text, lt: `${text}\u{10ffff}` })] : []),
    ...(has("regexp") && text.length >= 3 ? [on({ regexp: `/${text.replace(/[/\\^$.*+?()[\]{}|-]/g, "\\$&")}/i` })] : []),
    ...(has("allofterms") ? [on({ allofterms: text })] : []),
    ...(has("alloftext") && !has("allofterms") ? [on({ alloftext: text })] : []),
  ];
}

function isOnText({ input }: Operator): boolean {
  return getNamedType(input)?.name === "String";
}

function isId(text: string): boolean {
  return /^0x[0-9a-f]{1,16}$|^\d{1,19}$/.test(text);
}

/** A value as it was read, as an input takes it. */
export function asInput(model: ApiModel, type: NodeType, field: Field, value: Json | undefined): Json {
  if (value === null || value === undefined) return null;
  if (field.kind !== "link") return value;
  if (isList(value)) return value.map((each) => asInput(model, type, field, each));
  const found = isObject(value) ? linkOf(model, field, value) : undefined;
  if (found === undefined) throw new Error(`${field.named} has no key; links to it cannot be written here.`);
  return referenceTo(type, field, found);
}

/** The linked node that was read. */
export function linkOf(model: ApiModel, field: Pick<Field, "named">, row: JsonObject): LinkedNode | undefined {
  const type = model.type(textOf(row.__typename)) ?? model.type(field.named);
  return type && linkedNode(type, row);
}
