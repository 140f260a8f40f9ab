// Sets one field of many nodes, and gives each its own value back.

import { type Json, type JsonObject, objectsIn, writeJson } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { changeOf, isEditable, updateNodes, type Writing } from "../model/changes.ts";
import { asInput } from "../model/links.ts";
import { filterOf, keyName, keyOf, type NodeKey, namesOf, valueSelection } from "../model/nodes.ts";
import { plural } from "../parts/pieces.tsx";
import type { Change } from "./use-undo.ts";

export interface BulkPlace {
  readonly writing: Writing;
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly field: Field;
}

/** Fields that many nodes can have the same value of: no keys, no lists of links, no files, and no links of which each node has its own. */
export function bulkFields(model: ApiModel, type: NodeType): readonly Field[] {
  return type.fields.filter((field) => {
    if (!isEditable(type, field) || type.keys.includes(field) || field.kind === "file") return false;
    return field.kind !== "link" || (!field.isList && !isOneToOne(model, field));
  });
}

function isOneToOne(model: ApiModel, { named, inverse }: Field): boolean {
  const other = model.type(named)?.fields.find(({ name }) => name === inverse);
  return other !== undefined && !other.isList;
}

/** Rejects when no node was changed. */
export async function editNodes(place: BulkPlace, keys: readonly NodeKey[], value: Json): Promise<Change> {
  const { writing, type, field } = place;
  const before = await valuesNow(place, keys);
  const count = await updateNodes(writing, type, keys, changeOf(field, value));
  if (count === 0) throw new Error("Nothing was changed: the nodes are gone, or this identity may not change them.");
  const written = await valuesNow(place, keys);
  return { done: `Changed ${field.name} of ${plural(count, "node")}`, takeBack: () => giveBack(place, keys, { before, written }) };
}

type Values = ReadonlyMap<string, Json>;

async function giveBack(place: BulkPlace, keys: readonly NodeKey[], { before, written }: { readonly before: Values; readonly written: Values }) {
  const { writing, model, type, field } = place;
  const now = await valuesNow(place, keys);
  const isAsWritten = (name: string) => now.has(name) && writeJson(now.get(name)) === writeJson(written.get(name));
  const restored = keys.filter((key) => before.has(keyName(key)) && isAsWritten(keyName(key)));
  for (const [value, own] of groupedBy(restored, (key) => before.get(keyName(key)) ?? null)) {
    await updateNodes(writing, type, own, changeOf(field, asInput(model, type, field, value)));
  }
  const others = keys.length - restored.length;
  return others === 0 ? "" : `${plural(others, "node")} stayed: others have changed ${field.name} since, or the node is gone.`;
}

/** By the name of the key. Nodes that are gone have none. */
async function valuesNow({ writing, model, type, field }: BulkPlace, keys: readonly NodeKey[]): Promise<Values> {
  const selection = `{ __typename ${[...new Set([...namesOf(type), valueSelection(model, field)])].join(" ")} }`;
  const query = `query Values($filter: ${type.filter?.name ?? ""}) { rows: ${type.query}(filter: $filter) ${selection} }`;
  const rows = objectsIn((await writing.server.data({ query, variables: { filter: filterOf(type, keys) }, as: writing.identity })).rows);
  return new Map(rows.flatMap((row) => namedValue(type, field, row)));
}

function namedValue(type: NodeType, field: Field, row: JsonObject): readonly (readonly [string, Json])[] {
  const key = keyOf(type, row);
  return key === undefined ? [] : [[keyName(key), row[field.name] ?? null]];
}

function groupedBy(keys: readonly NodeKey[], valueFor: (key: NodeKey) => Json): ReadonlyMap<Json, readonly NodeKey[]> {
  const groups = new Map<string, { readonly value: Json; readonly keys: NodeKey[] }>();
  for (const key of keys) {
    const value = valueFor(key);
    const text = writeJson(value);
    const group = groups.get(text) ?? { value, keys: [] };
    group.keys.push(key);
    groups.set(text, group);
  }
  return new Map([...groups.values()].map((group) => [group.value, group.keys]));
}
