// Finds key values that several nodes hold.

import type { Document } from "mongodb";
import type { Stored, TypeName, Uid } from "../../../core/storage.ts";
import { keyViolation } from "../../storage-kit/index.ts";
import type { Connection, Doc } from "../connection.ts";
import { type KeyRuntime, keyTextOf } from "../layout/layout-runtime.ts";
import { collectionOf, keyCollection } from "../names.ts";

interface Group {
  readonly values: readonly (Stored | undefined)[];
  readonly uids: readonly Uid[];
}

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
  const groups: Group[] = [];
  for await (const doc of crowded) {
    const uids = numbers(doc.uids);
    groups.push({ uids, values: await valuesOf(connection, key, String(doc.types[0]), numbers(doc.uids, { sorted: false })[0] ?? 0) });
  }
  return sentence(key, groups);
}

function sentence(key: KeyRuntime, groups: readonly Group[]): string[] {
  const sorted = [...groups].sort((a, b) => (a.uids[0] ?? 0) - (b.uids[0] ?? 0));
  return sorted.length === 0 ? [] : [keyViolation(key.layout.fields, sorted)];
}

async function nativeGroups(connection: Connection, key: KeyRuntime): Promise<Group[]> {
  const [type = ""] = key.types;
  const match: Document = {};
  const by: Document = {};
  for (const [i, field] of key.fields.entries()) {
    match[field.path(type)] = { $exists: true };
    by[`v${i}`] = `$${field.path(type)}`;
  }
  const groups: Group[] = [];
  const crowded = connection
    .collection(collectionOf(type))
    .aggregate([{ $match: match }, { $group: { _id: by, uids: { $push: "$_id" }, n: { $sum: 1 } } }, { $match: { n: { $gt: 1 } } }], {
      allowDiskUse: true,
    });
  for await (const doc of crowded) {
    const uids = numbers(doc.uids);
    groups.push({ uids, values: await valuesOf(connection, key, type, uids[0] ?? 0) });
  }
  return groups;
}

async function valuesOf(connection: Connection, key: KeyRuntime, type: TypeName, uid: Uid): Promise<Group["values"]> {
  const doc: Doc | null = await connection.collection(collectionOf(type)).findOne({ _id: uid });
  return key.fields.map((field) => (doc === null ? undefined : field.read(type, doc)));
}

async function scannedGroups(connection: Connection, key: KeyRuntime): Promise<Group[]> {
  const first = new Map<string, Uid>();
  const crowded = new Map<string, { readonly values: Group["values"]; readonly uids: Uid[] }>();
  for (const type of key.types) {
    const projection = Object.fromEntries(key.fields.map((field) => [field.property(type), 1 as const]));
    for await (const doc of connection.collection(collectionOf(type)).find({}, { projection })) {
      const text = keyTextOf(key, type, doc);
      if (text === undefined) continue;
      const holder = first.get(text);
      const uid = Number(doc._id);
      const group = crowded.get(text);
      if (holder === undefined) first.set(text, uid);
      else if (group === undefined) crowded.set(text, { values: key.fields.map((field) => field.read(type, doc)), uids: [holder, uid] });
      else group.uids.push(uid);
    }
  }
  return [...crowded.values()].map(({ values, uids }) => ({ values, uids: uids.sort((a, b) => a - b) }));
}

function numbers(list: unknown, { sorted } = { sorted: true }): number[] {
  const all = Array.isArray(list) ? list.map(Number) : [];
  return sorted ? all.sort((a, b) => a - b) : all;
}
