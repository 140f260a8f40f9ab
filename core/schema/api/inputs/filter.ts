// `<T>Filter` and `<U>Filter`. Every stored type has a filter, even without searchable fields.

import type { Field, NodeType, UnionType } from "../../../contracts/model.ts";
import type { EnumDefinition, FieldsDefinition, Member } from "../definition.ts";
import { filterName, hasFilterName, lowerFirst, memberTypeName } from "../names.ts";
import { writableFields } from "../writable.ts";
import { hasFilter } from "./has.ts";

/** The input of each filter, by field name. */
type Filters = ReadonlyMap<string, { readonly input: string }>;

/** @param filters those that plugins give to fields and links of this type */
export function filterInput(node: NodeType, filters: Filters): FieldsDefinition {
  const own = [...node.fields.values()].flatMap((field) => filterMember(field, filters));
  const asksHas = hasFilterableField(node);
  const name = filterName(node);
  const lists = asksHas || own.some((member) => member.name !== node.idField?.name);
  const members: readonly Member[] = [
    ...own,
    ...(asksHas && hasFilter(node) !== undefined ? [{ name: "has", type: `[${hasFilterName(node)}]` }] : []),
    ...(lists ? [listOf("and", name), listOf("or", name)] : []),
    { name: "not", type: name },
  ];
  return { kind: "input", name, members, generatedFor: node.name };
}

function filterMember(field: Field, filters: Filters): readonly Member[] {
  if (field.role === "id") return [{ name: field.name, type: "[ID!]" }];
  const filter = filters.get(field.name);
  return filter === undefined ? [] : [{ name: field.name, type: filter.input }];
}

/** Whether the type has a writable field, or a value written through another field, such as a text in several languages. */
function hasFilterableField(node: NodeType): boolean {
  return writableFields(node).length > 0 || [...node.fields.values()].some(isShownValue);
}

function isShownValue({ role, exposure }: Field): boolean {
  return role === "value" && (exposure.has || exposure.aggregate !== "none");
}

const listOf = (name: string, filter: string): Member => ({ name, type: `[${filter}]` });

/** Filters by member type, and by conditions on members of a type. */
export function unionFilterInput(union: UnionType): FieldsDefinition {
  const members = [
    { name: "memberTypes", type: `[${memberTypeName(union)}!]` },
    ...union.members.map((member) => ({ name: unionFilterMember(member), type: filterName(member) })),
  ];
  return { kind: "input", name: filterName(union), members, generatedFor: union.name };
}

export const unionFilterMember = (member: NodeType): string => `${lowerFirst(member)}Filter`;

/** `<U>Type`: the names of the member types. */
export function unionMemberTypes(union: UnionType): EnumDefinition {
  return { kind: "enum", name: memberTypeName(union), values: union.members.map(({ name }) => ({ name })), generatedFor: union.name };
}
