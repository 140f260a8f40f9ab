// Queries and mutations of nodes of one type.

import { isAbstractType } from "graphql";
import { type Json, type JsonObject, textOf, writeJson } from "../api/json.ts";
import { type ApiModel, type Field, geoSelections, type NodeType } from "./api-model.ts";

/** What names one node of a type. */
export interface NodeKey {
  readonly field: string;
  readonly value: Json;
}

export interface Order {
  readonly field: string;
  readonly direction: "asc" | "desc";
}

/** What a table shows of each node: values, the labels of single links, the counts of lists. */
export function rowSelection(model: ApiModel, type: NodeType): string {
  return `{ __typename ${type.fields.map((field) => fieldSelection(model, field)).join(" ")} }`;
}

export function fieldSelection(model: ApiModel, field: Field): string {
  if (field.kind === "geo") return `${field.name} ${geoSelections.get(field.named) ?? ""}`;
  if (field.kind === "file") return `${field.name} { name type bytes }`;
  if (field.kind !== "link") return field.name;
  if (!field.isList) return `${field.name} ${linkSelection(model, field.named)}`;
  if (field.aggregate !== undefined) return `${field.aggregate} { count }`;
  return `${field.name} ${linkSelection(model, field.named)}`;
}

/** What identifies a node and what people call it. */
export function linkSelection(model: ApiModel, name: string): string {
  const type = model.type(name);
  if (type !== undefined) return `{ __typename ${namesOf(type).join(" ")} }`;
  const named = model.schema.getType(name);
  if (!isAbstractType(named)) return "{ __typename }";
  // Members may have fields of one name and different types.
  const members = model.schema.getPossibleTypes(named).flatMap((member) => {
    const known = model.type(member.name);
    return known === undefined
      ? []
      : [
          `... on ${member.name} { ${namesOf(known)
            .map((each) => `${member.name}_${each}: ${each}`)
            .join(" ")} }`,
        ];
  });
  return `{ __typename ${members.join(" ")} }`;
}

export function namesOf(type: NodeType): readonly string[] {
  return [...new Set([...type.keys, ...(type.label ? [type.label] : [])].map(({ name }) => name))];
}

/** The value of a field of a linked node, which may be selected under the name of its type. */
function selected(node: JsonObject, name: string): Json | undefined {
  return node[name] ?? node[`${textOf(node.__typename)}_${name}`];
}

export function keyOf(type: NodeType | undefined, node: JsonObject): NodeKey | undefined {
  for (const { name } of type?.keys ?? []) {
    const value = selected(node, name);
    if (value !== undefined && value !== null) return { field: name, value };
  }
  return undefined;
}

/** Equal for equal keys alone. */
export function keyName({ field, value }: NodeKey): string {
  return `${field} ${writeJson(value)}`;
}

export function labelOf(type: NodeType | undefined, node: JsonObject): string {
  const label = type?.label && selected(node, type.label.name);
  if (label !== undefined && label !== null && label !== "") return textOf(label);
  const key = keyOf(type, node);
  return key === undefined ? textOf(node.__typename) : textOf(key.value);
}

/** A filter that only the named nodes pass. */
export function filterOf(type: NodeType, keys: readonly NodeKey[]): JsonObject {
  const parts = type.keys.flatMap((field) => {
    const values = keys.flatMap((key) => (key.field === field.name ? [key.value] : []));
    return values.length === 0 ? [] : [{ [field.name]: field.kind === "id" ? values : { in: values } }];
  });
  const [first] = parts;
  if (first === undefined) throw new Error(`No field identifies nodes of ${type.name}.`);
  return parts.length === 1 ? first : { or: parts };
}

export function pageQuery(type: NodeType, selection: string): string {
  const parameters = ["$first: Int", "$offset: Int"];
  const args = ["first: $first", "offset: $offset"];
  if (type.filter) parameters.push(`$filter: ${type.filter.name}`);
  if (type.filter) args.push("filter: $filter");
  if (type.orderable.size > 0) parameters.push(`$order: ${type.name}Order`);
  if (type.orderable.size > 0) args.push("order: $order");
  return `query Page(${parameters.join(", ")}) { rows: ${type.query}(${args.join(", ")}) ${selection} }`;
}

export function countQuery(type: NodeType): string {
  if (type.aggregate === undefined) return "{ __typename }";
  if (!type.filter) return `{ total: ${type.aggregate} { count } }`;
  return `query Count($filter: ${type.filter.name}) { total: ${type.aggregate}(filter: $filter) { count } }`;
}

/** What names the first nodes that the filter lets through. */
export function keysQuery(type: NodeType): string {
  const [parameter, argument] = type.filter ? [`, $filter: ${type.filter.name}`, ", filter: $filter"] : ["", ""];
  return `query Keys($first: Int${parameter}) { rows: ${type.query}(first: $first${argument}) { __typename ${namesOf(type).join(" ")} } }`;
}

/** All nodes that the filter lets through. */
export function rowsQuery(type: NodeType, selection: string): string {
  return `query Rows($filter: ${type.filter?.name ?? ""}) { rows: ${type.query}(filter: $filter) ${selection} }`;
}

export function nodeQuery(model: ApiModel, type: NodeType): string {
  return `query Node($filter: ${type.filter?.name ?? ""}) { rows: ${type.query}(filter: $filter, first: 1) ${nodeSelection(model, type)} }`;
}

/** What a row has, and where the bytes of files are. */
function nodeSelection(model: ApiModel, type: NodeType): string {
  const fields = type.fields.map((field) =>
    field.kind === "file" ? `${field.name} { url name type bytes width height sha256 }` : fieldSelection(model, field),
  );
  return `{ __typename ${fields.join(" ")} }`;
}

/** One field of one node. */
export function fieldQuery(model: ApiModel, type: NodeType, field: Field): string {
  return `query Field($filter: ${type.filter?.name ?? ""}) { rows: ${type.query}(filter: $filter, first: 1) { __typename ${valueSelection(model, field)} } }`;
}

/** What tells apart two values of the field. */
export function valueSelection(model: ApiModel, field: Field): string {
  return field.kind === "link" ? `${field.name} ${linkSelection(model, field.named)}` : fieldSelection(model, field);
}

/** One page of the nodes that a list of a node links to. */
export function linksQuery(model: ApiModel, type: NodeType, field: Field): string {
  const links = `${field.name}(first: $first, offset: $offset) ${linkSelection(model, field.named)}`;
  return `query Links($filter: ${type.filter?.name ?? ""}, $first: Int, $offset: Int) { rows: ${type.query}(filter: $filter, first: 1) { ${links} } }`;
}

export function orderOf(orders: readonly Order[]): JsonObject | undefined {
  const [first, ...rest] = orders;
  if (first === undefined) return undefined;
  const then = orderOf(rest);
  return { [first.direction]: first.field, ...(then && { then }) };
}

export function updateMutation(type: NodeType): string {
  const field = type.update?.field ?? "";
  return `mutation Update($input: Update${type.name}Input!) { ${field}(input: $input) { numUids } }`;
}

export function addMutation(type: NodeType): string {
  return `mutation Add($input: [Add${type.name}Input!]!) { ${type.add?.field ?? ""}(input: $input) { numUids } }`;
}

/** Counts of all types in one request. */
export function countsQuery(types: readonly NodeType[]): string {
  const counted = types.filter(({ aggregate }) => aggregate !== undefined);
  return counted.length === 0
    ? "{ __typename }"
    : `query Counts { ${counted.map(({ name, aggregate }) => `${name}: ${aggregate} { count }`).join(" ")} }`;
}
