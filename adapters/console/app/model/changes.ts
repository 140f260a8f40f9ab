// Writes: one value of one node, a new node, the removal of nodes.

import { isObject, type Json, type JsonObject } from "../api/json.ts";
import type { Identity, Server } from "../api/server.ts";
import type { ApiModel, Field, NodeType } from "./api-model.ts";
import { addMutation, deleteMutation, filterOf, type NodeKey, updateMutation } from "./nodes.ts";
import { parseValue } from "./values.ts";

export interface Writing {
  readonly server: Server;
  readonly identity: Identity;
}

export function isEditable(type: NodeType, field: Field): boolean {
  return type.keys.length > 0 && type.filter !== undefined && type.update?.patch.getFields()[field.name] !== undefined;
}

/** Sets the value; null removes it. Rejects when no node was changed: it is gone, or the identity may not change it. */
export async function setValue({ server, identity }: Writing, type: NodeType, key: NodeKey, field: Field, value: Json): Promise<void> {
  const change = value === null ? { remove: { [field.name]: null } } : { set: { [field.name]: value } };
  const input = { filter: filterOf(type, [key]), ...change };
  const data = await server.data({ query: updateMutation(type), variables: { input }, as: identity });
  if (changedNodes(data) === 0) throw new Error("Nothing was changed: the node is gone, or this identity may not change it.");
}

export async function addNode({ server, identity }: Writing, type: NodeType, input: JsonObject): Promise<void> {
  await server.data({ query: addMutation(type), variables: { input: [input] }, as: identity });
}

/** @returns how many nodes were deleted */
export async function deleteNodes({ server, identity }: Writing, type: NodeType, keys: readonly NodeKey[]): Promise<number> {
  const data = await server.data({ query: deleteMutation(type), variables: { filter: filterOf(type, keys) }, as: identity });
  return changedNodes(data);
}

function changedNodes(data: JsonObject): number {
  const [payload] = Object.values(data);
  return isObject(payload) ? Number(payload.numUids ?? 0) : 0;
}

/** The input that a link takes: a reference by key for each key that somebody wrote. Null: no link. */
export function referencesOf(model: ApiModel, field: Field, text: string): Json {
  const target = model.type(field.named);
  const key = target && referenceKey(target);
  if (key === undefined) throw new Error(`${field.named} has no key; links to it cannot be written here.`);
  const references = (field.isList ? text.split(",") : [text]).flatMap((each) =>
    each.trim() === "" ? [] : [{ [key.name]: parseValue({ ...key, isList: false }, each.trim()) }],
  );
  return field.isList ? references : (references[0] ?? null);
}

/** The key that people write: one of their own before the ID. */
export function referenceKey({ keys }: NodeType): Field | undefined {
  return keys.find(({ kind }) => kind !== "id") ?? keys[0];
}
