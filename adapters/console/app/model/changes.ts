// Writes: values of nodes, new nodes.

import { isObject, type Json, type JsonObject } from "../api/json.ts";
import type { Identity, Server } from "../api/server.ts";
import type { Field, NodeType } from "./api-model.ts";
import { addMutation, filterOf, type NodeKey, updateMutation } from "./nodes.ts";

export interface Writing {
  readonly server: Server;
  readonly identity: Identity;
}

export function isEditable(type: NodeType, field: Field): boolean {
  return type.keys.length > 0 && type.filter !== undefined && type.update?.patch.getFields()[field.name] !== undefined;
}

/** Sets the value; null removes it. Rejects when no node was changed: it is gone, or the identity may not change it. */
export async function setValue({ server, identity }: Writing, type: NodeType, key: NodeKey, field: Field, value: Json): Promise<void> {
  await updateNode({ server, identity }, type, key, changeOf(field, value));
}

/** What sets the value, or removes it, in the input of an update. */
export function changeOf({ name }: Field, value: Json): JsonObject {
  return value === null ? { remove: { [name]: null } } : { set: { [name]: value } };
}

/** @param change `{ set: ... }` or `{ remove: ... }`. Rejects when no node was changed. */
export async function updateNode(writing: Writing, type: NodeType, key: NodeKey, change: JsonObject): Promise<void> {
  if ((await updateNodes(writing, type, [key], change)) === 0)
    throw new Error("Nothing was changed: the node is gone, or this identity may not change it.");
}

/** @returns how many nodes were changed */
export async function updateNodes({ server, identity }: Writing, type: NodeType, keys: readonly NodeKey[], change: JsonObject): Promise<number> {
  const input = { filter: filterOf(type, keys), ...change };
  return changedNodes(await server.data({ query: updateMutation(type), variables: { input }, as: identity }));
}

/** In one transaction. */
export async function addNodes({ server, identity }: Writing, type: NodeType, inputs: readonly JsonObject[]): Promise<void> {
  await server.data({ query: addMutation(type), variables: { input: inputs }, as: identity });
}

function changedNodes(data: JsonObject): number {
  const [payload] = Object.values(data);
  return isObject(payload) ? Number(payload.numUids ?? 0) : 0;
}
