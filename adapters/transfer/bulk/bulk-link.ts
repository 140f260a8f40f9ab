// Links existing objects by their keys, as an add with `upsert` does.

import type { Change, Create, FieldPatch, Key, NodeRef, NodeType, Transaction } from "../../../core/plugin.ts";
import type { LinkIntent, PlainType } from "../../../core/server.ts";
import { findKeys, type Holders } from "./find-keys.ts";
import { notPlain, type PlainObject } from "./plain-objects.ts";
import { wantedKeys } from "./wanted-keys.ts";

/** @returns the new nodes: none. @throws notPlain when an ordinary add must decide; then nothing was written */
export async function linkPlain(type: PlainType, objects: readonly PlainObject[], transaction: Transaction): Promise<readonly Create[]> {
  const key = onlyKey(type, objects);
  const found = await findAll(type, key, objects, transaction);
  const sources = objects.map(({ fields }) => nodeAt(found, type.type, fields[key.field.stored]));
  if (new Set(sources.map(({ uid }) => uid)).size < sources.length) throw notPlain;
  const { single, many } = intentsOf(objects, sources, found);
  const changes: Change[] = objects.flatMap((object, i) => setOf(type, key, object, sources[i]));
  if (single.length > 0) changes.push(...(await type.linkChanges(single, transaction)));
  for (const { end, from, to } of many) changes.push({ kind: "link", end, from: from.uid, fromType: from.type, to: to.uid, toType: to.type });
  if (changes.length > 0) await transaction.write(changes);
  return [];
}

/** Objects with several keys may mean several nodes. */
export function onlyKey({ keys }: PlainType, objects: readonly PlainObject[]): Key {
  const given = [...keys.values()].filter(({ field }) => objects.some(({ fields }) => fields[field.stored] !== undefined));
  const [key] = given;
  if (key === undefined || given.length > 1) throw notPlain;
  return key;
}

/** Nodes by the stored name of their type and the text of their key. */
type Found = ReadonlyMap<string, Holders>;

async function findAll(type: PlainType, key: Key, objects: readonly PlainObject[], transaction: Transaction): Promise<Found> {
  const found = new Map<string, Holders>();
  for (const wanted of wantedKeys(type, key, objects)) {
    found.set(wanted.type.stored, await findKeys(transaction, wanted.type, wanted.key, wanted.values));
  }
  return found;
}

/** @throws notPlain for a key that no node has: an ordinary add makes the node, or refuses the reference */
function nodeAt(found: Found, { stored }: NodeType, value: unknown): NodeRef {
  const uid = found.get(stored)?.get(String(value));
  if (uid === undefined) throw notPlain;
  return { uid, type: stored };
}

interface Intents {
  /** Of ends that hold one link: it may be there, or displace another. */
  readonly single: LinkIntent[];
  readonly many: LinkIntent[];
}

function intentsOf(objects: readonly PlainObject[], sources: readonly NodeRef[], found: Found): Intents {
  const intents: Intents = { single: [], many: [] };
  for (const [i, { links }] of objects.entries()) {
    const from = sources[i];
    for (const { link, targets } of from === undefined ? [] : links) {
      const kept = link.single ? intents.single : intents.many;
      for (const target of targets) {
        if (from !== undefined) kept.push({ kind: "link", end: link.field.stored, from, to: nodeAt(found, link.target.type, target.key) });
      }
    }
  }
  return intents;
}

/** The values beside the key. Equal ones change nothing. */
function setOf({ values }: PlainType, key: Key, { fields }: PlainObject, node: NodeRef | undefined): readonly Change[] {
  const patch: { -readonly [Name in keyof FieldPatch]: FieldPatch[Name] } = {};
  let count = 0;
  for (const field of values.values()) {
    const value = fields[field.stored];
    if (value === undefined || field === key.field) continue;
    // The values of a list are added to those that are there.
    if (Array.isArray(value)) throw notPlain;
    patch[field.stored] = value;
    count++;
  }
  return count === 0 || node === undefined ? [] : [{ kind: "set", ...node, fields: patch }];
}
