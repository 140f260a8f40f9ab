// Finds key values that several nodes hold.

import type { Document } from "mongodb";
import type { TypeName, Uid } from "../../../core/storage.ts";
import { type KeyGroup, type KeyParts, keyViolation } from "../../storage-kit/index.ts";
import type { Connection, Doc } from "../connection/connection.ts";
import { type KeyRuntime, keyPartsOf, keyPathsOf, keyPropertiesOf, keyTextOf } from "../layout/layout-runtime.ts";
import { collectionOf, keyCollection } from "../layout/names.ts";

/** A sentence about duplicates of the key, from the documents. */
export async function keyObstacles(connection: Connection, key: KeyRuntime): Promise<string[]> {
  return key.native ? sentence(key, await nativeGroups(connection, key)) : sentence(key, await scannedGroups(connection, key));
}

/** The same, from the key's own collection after the backfill. */
export async function filledKeyObstacles(connection: Connection, key: KeyRuntime): Promise<string[]> {
  if (key.native) return await keyObstacles(connection, key);
  const crowded = connection
    .collection(keyCollection(key.id))
    .aggregate([{ $group: { _id: "$k", uids: { $push: "$_id" }, types: { $push: "$type" }, n: { $sum: 1 } } }, { $match: { n: { $gt: 1 } } }], {
      allowDiskUse: true,
    });
  const groups: KeyGroup[] = [];
  for await (const doc of crowded) {
    const uids = numbers(doc.uids);
    groups.push({ uids, ...(await partsOf(connection, key, String(doc.types[0]), numbers(doc.uids, { sorted: false })[0] ?? 0)) });
  }
  return sentence(key, groups);
}

function sentence(key: KeyRuntime, groups: readonly KeyGroup[]): string[] {
  const sorted = [...groups].sort((a, b) => (a.uids[0] ?? 0) - (b.uids[0] ?? 0));
  return sorted.length === 0 ? [] : [keyViolation(key.layout, sorted)];
}

async function nativeGroups(connection: Connection, key: KeyRuntime): Promise<KeyGroup[]> {
  const [type = ""] = key.types;
  const match: Document = {};
  const by: Document = {};
  for (const [i, path] of keyPathsOf(key, type).entries()) {
    match[path] = { $exists: true };
    by[`v${i}`] = `$${path}`;
  }
  const groups: KeyGroup[] = [];
  const crowded = connection
    .collection(collectionOf(type))
    .aggregate([{ $match: match }, { $group: { _id: by, uids: { $push: "$_id" }, n: { $sum: 1 } } }, { $match: { n: { $gt: 1 } } }], {
      allowDiskUse: true,
    });
  for await (const doc of crowded) {
    const uids = numbers(doc.uids);
    groups.push({ uids, ...(await partsOf(connection, key, type, uids[0] ?? 0)) });
  }
  return groups;
}

async function partsOf(connection: Connection, key: KeyRuntime, type: TypeName, uid: Uid): Promise<KeyParts> {
  const doc: Doc | null = await connection.collection(collectionOf(type)).findOne({ _id: uid });
  return keyPartsOf(key, type, doc ?? { _id: uid });
}

async function scannedGroups(connection: Connection, key: KeyRuntime): Promise<KeyGroup[]> {
  const first = new Map<string, Uid>();
  const crowded = new Map<string, { readonly parts: KeyParts; readonly uids: Uid[] }>();
  for (const type of key.types) {
    const projection = Object.fromEntries(keyPropertiesOf(key, type).map((property) => [property, 1 as const]));
    for await (const doc of connection.collection(collectionOf(type)).find({}, { projection })) {
      const text = keyTextOf(key, type, doc);
      if (text === undefined) continue;
      const holder = first.get(text);
      const uid = Number(doc._id);
      const group = crowded.get(text);
      if (holder === undefined) first.set(text, uid);
      else if (group === undefined) crowded.set(text, { parts: keyPartsOf(key, type, doc), uids: [holder, uid] });
      else group.uids.push(uid);
    }
  }
  return [...crowded.values()].map(({ parts, uids }) => ({ ...parts, uids: uids.sort((a, b) => a - b) }));
}

function numbers(list: unknown, { sorted } = { sorted: true }): number[] {
  const all = Array.isArray(list) ? list.map(Number) : [];
  return sorted ? all.sort((a, b) => a - b) : all;
}
