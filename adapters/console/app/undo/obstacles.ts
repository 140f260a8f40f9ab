// Why links of nodes that are made again are left out: what they led to is gone, or leads to another node now.

import { isObject, type JsonObject, objectsIn } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import type { Writing } from "../model/changes.ts";
import { type LinkedNode, linkOf } from "../model/links.ts";
import { filterOf, keyName, linkSelection, type NodeKey, namesOf } from "../model/nodes.ts";

export interface Relinking {
  readonly writing: Writing;
  readonly model: ApiModel;
}

/** As many nodes are asked for in one request. */
const batch = 1_000;

/** The reason by the key of the linked node, as `keyName` writes it. */
export async function obstaclesOf(of: Relinking, field: Field, nodes: readonly LinkedNode[]): Promise<ReadonlyMap<string, string>> {
  const obstacles = new Map<string, string>();
  const types = new Map(nodes.map(({ type }) => [type.name, type]));
  for (const type of types.values()) {
    const own = nodes.filter((node) => node.type.name === type.name);
    for (let from = 0; from < own.length; from += batch) {
      const asked = own.slice(from, from + batch);
      const rows = await rowsNow(
        of,
        type,
        field,
        asked.map(({ key }) => key),
      );
      const byKey = new Map(
        rows.flatMap((row) => type.keys.map((key) => [keyName({ field: key.name, value: row[key.name] ?? null }), row] as const)),
      );
      for (const { key, label } of asked) {
        const reason = reasonOf(of.model, type, field, byKey.get(keyName(key)));
        if (reason !== undefined) obstacles.set(keyName(key), reason(label));
      }
    }
  }
  return obstacles;
}

/** What the links lead to, as it is now. */
async function rowsNow({ writing, model }: Relinking, type: NodeType, field: Field, keys: readonly NodeKey[]): Promise<readonly JsonObject[]> {
  const other = singleInverse(type, field);
  const selection = `{ __typename ${namesOf(type).join(" ")} ${other ? `${other.name} ${linkSelection(model, other.named)}` : ""} }`;
  const query = `query Linked($filter: ${type.filter?.name ?? ""}) { rows: ${type.query}(filter: $filter) ${selection} }`;
  const variables = { filter: filterOf(type, keys) };
  return objectsIn((await writing.server.data({ query, variables, as: writing.identity })).rows);
}

function reasonOf(model: ApiModel, type: NodeType, field: Field, row: JsonObject | undefined): ((label: string) => string) | undefined {
  if (row === undefined) return (label) => `${label} is gone`;
  const other = singleInverse(type, field);
  const occupant = other && row[other.name];
  if (other === undefined || !isObject(occupant)) return undefined;
  return (label) => `${other.name} of ${label} is ${linkOf(model, other, occupant)?.label ?? "another node"} now`;
}

/** A field that holds one link: another one would displace it. */
function singleInverse(type: NodeType, { inverse }: Field): Field | undefined {
  const found = type.fields.find(({ name }) => name === inverse);
  return found?.isList ? undefined : found;
}
