// The MongoDB indexes of a layout, with names that people recognize; creates and drops them.

import { setTimeout as pause } from "node:timers/promises";
import { MongoServerError } from "mongodb";
import type { Layout, TypeName } from "../../../core/storage.ts";
import type { Connection } from "../connection/connection.ts";
import type { Catalog } from "./catalog.ts";
import { buildLayoutRuntime, keyPathsOf, type LayoutRuntime, linkPropertyOf } from "./layout-runtime.ts";
import { collectionOf, own, tokensProperty } from "./names.ts";
import { storedEdges, uniqueNear } from "./placement.ts";

/** The most indexes that MongoDB allows for a collection. */
export const mongoTakes = 64;

export interface NativeIndex {
  readonly collection: string;
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly unique: boolean;
  /** A partial index: only documents with these properties are in it. */
  readonly having?: readonly string[];
  /** The label in messages: `index Package.size/value`. */
  readonly what: string;
  /** May be omitted when a collection would have too many indexes. */
  readonly spare?: boolean;
}

/** The index by `_id` always exists. */
const mostIndexes = mongoTakes - 1;

/** The indexes of a layout; only required ones where a collection would have too many. */
export function wantedIndexes(layout: Layout, catalog: Catalog): NativeIndex[] {
  const schema = buildLayoutRuntime(layout, catalog);
  return schema.types.flatMap((type) => ofType(schema, catalog, type)).concat(ofPairs(schema), ofUniqueEntries(schema));
}

function ofType(schema: LayoutRuntime, catalog: Catalog, type: TypeName): NativeIndex[] {
  const collection = collectionOf(type);
  const indexes: NativeIndex[] = [];
  let hasTokens = false;
  for (const index of schema.indexes.values()) {
    const { field } = index;
    if (!field.types.includes(type)) continue;
    if (index.by === "tokens") hasTokens = true;
    else if (field.kind !== "geo") {
      const path = field.path(type);
      const what = `index ${index.name}`;
      indexes.push({ collection, name: `${own}${path}`, key: { [path]: 1, _id: 1 }, unique: false, what });
      // Ties are broken by ascending uid in both directions.
      if (index.ordered && !field.list)
        indexes.push({ collection, name: `${own}${path} down`, key: { [path]: -1, _id: 1 }, unique: false, what, spare: true });
    }
  }
  for (const { name, field, within } of schema.compounds) {
    if (![field, ...within].every(({ types }) => types.includes(type))) continue;
    const leading = within.map((each) => each.path(type));
    const path = field.path(type);
    const key = (direction: 1 | -1) => ({ ...Object.fromEntries(leading.map((each) => [each, 1 as const])), [path]: direction, _id: 1 as const });
    const base = { collection, unique: false, what: `index ${name}` };
    const joined = [...leading, path].join(" ");
    indexes.push({ ...base, name: `${own}${joined}`, key: key(1) }, { ...base, name: `${own}${joined} down`, key: key(-1), spare: true });
  }
  if (hasTokens) indexes.push({ collection, name: `${own}tokens`, key: { [tokensProperty]: 1, _id: 1 }, unique: false, what: `tokens of ${type}` });
  for (const key of schema.keys) {
    if (!key.native || !key.types.has(type)) continue;
    const paths = keyPathsOf(key, type);
    indexes.push({
      collection,
      name: `${own}key ${paths.join(" ")}`,
      key: Object.fromEntries(paths.map((path) => [path, 1 as const])),
      unique: true,
      having: paths,
      what: `key ${key.layout.name}`,
    });
  }
  for (const stored of storedEdges(schema.layout, catalog)) {
    const store = schema.stores.get(stored.id);
    if (store?.placement.shape !== "field" || !(store.symmetric || store.types[store.placement.side].includes(type))) continue;
    const property = linkPropertyOf(store, type);
    const what = `edge ${stored.edge.name}`;
    if (!schema.sharded && uniqueNear(stored, store.placement, type))
      indexes.push({ collection, name: `${own}one ${property}`, key: { [property]: 1 }, unique: true, having: [property], what });
    else indexes.push({ collection, name: `${own}link ${property}`, key: { [property]: 1, _id: 1 }, unique: false, what });
  }
  // Two indexes of a field may share one MongoDB index.
  const distinct = [...new Map(indexes.map((index) => [index.name, index])).values()];
  const spares = distinct.filter((index) => index.spare);
  const tooMany = new Set(distinct.length <= mostIndexes ? [] : spares.slice(Math.max(0, spares.length + mostIndexes - distinct.length)));
  return distinct.filter((index) => !tooMany.has(index));
}

function ofPairs(schema: LayoutRuntime): NativeIndex[] {
  return [...schema.stores.values()].flatMap(({ placement, edge }) => {
    if (placement.shape !== "pairs") return [];
    const base = { collection: placement.collection, unique: false, what: `edge ${edge?.layout.name ?? placement.collection}` };
    return [
      { ...base, name: `${own}a`, key: { a: 1, b: 1 } as const },
      { ...base, name: `${own}b`, key: { b: 1, a: 1 } as const },
    ];
  });
}

function ofUniqueEntries({ uniqueEntries }: LayoutRuntime): NativeIndex[] {
  return uniqueEntries.map(({ collection, what }) => ({ collection, name: `${own}key`, key: { k: 1 } as const, unique: true, what }));
}

export interface Existing {
  readonly unique: boolean;
  /** Whether the index refuses duplicates; includes one that was about to become unique when its server stopped. */
  readonly refuses: boolean;
  readonly key: string;
}

/** Includes indexes that are being built. */
export async function existingIndexes(connection: Connection, collection: string): Promise<ReadonlyMap<string, Existing>> {
  try {
    const listed = await connection.collection(collection).listIndexes().toArray();
    return new Map(
      listed.map((index) => {
        const unique = index.unique === true;
        return [String(index.name), { unique, refuses: unique || index.prepareUnique === true, key: JSON.stringify(index.key) }];
      }),
    );
  } catch (thrown) {
    if (thrown instanceof MongoServerError && thrown.code === namespaceNotFound) return new Map();
    throw thrown;
  }
}

const namespaceNotFound = 26;
const conversionRefused = 359;
/** Error codes: a build is running; an index does not exist. */
const unfinished = new Set([12_587, 27]);
const looksEveryMs = 200;

/** Whether an existing index, or one that is being built, can become this one. It may become unique later. */
export function canBecome(existing: Existing | undefined, { key, unique }: NativeIndex): boolean {
  return existing?.key === JSON.stringify(key) && existing.refuses === existing.unique && (unique || !existing.unique);
}

/** @returns false when there are duplicates */
export async function makeUnique(connection: Connection, { collection, name }: NativeIndex): Promise<boolean> {
  if ((await existingIndexes(connection, collection)).get(name)?.unique === true) return true;
  try {
    await connection.db.command({ collMod: collection, index: { name, prepareUnique: true } });
    await connection.db.command({ collMod: collection, index: { name, unique: true } });
    return true;
  } catch (thrown) {
    if (!(thrown instanceof MongoServerError) || thrown.code !== conversionRefused) throw thrown;
    await connection.collection(collection).dropIndex(name);
    return false;
  }
}

/** Drops our unused indexes; those that would refuse allowed values first. */
export async function dropUnwanted(
  connection: Connection,
  {
    wanted,
    collections,
    only,
  }: { readonly wanted: readonly NativeIndex[]; readonly collections: readonly string[]; readonly only: "unique" | "all" },
): Promise<void> {
  const names = byCollection(wanted);
  for (const collection of collections) {
    const keep = new Set((names.get(collection) ?? []).map((index) => index.name));
    const unwanted = [...(await existingIndexes(connection, collection))].filter(
      ([name, { refuses }]) => isOurs(name) && !keep.has(name) && (only === "all" || refuses),
    );
    await dropIndexes(
      connection,
      collection,
      unwanted.map(([name]) => name),
    );
  }
}

/** Aborts their builds too. A build that also makes a wanted index cannot be aborted: waits for its end. */
export async function dropIndexes(connection: Connection, collection: string, names: readonly string[]): Promise<void> {
  for (let there = names; there.length > 0; ) {
    try {
      await connection.db.command({ dropIndexes: collection, index: [...there] });
      return;
    } catch (thrown) {
      if (!(thrown instanceof MongoServerError && unfinished.has(Number(thrown.code)))) throw thrown;
    }
    await pause(looksEveryMs);
    const existing = await existingIndexes(connection, collection);
    there = names.filter((name) => existing.has(name));
  }
}

export function isOurs(name: string): boolean {
  return name.startsWith(own) && name !== `${own}kept`;
}

export function byCollection(indexes: readonly NativeIndex[]): Map<string, NativeIndex[]> {
  const groups = new Map<string, NativeIndex[]>();
  for (const index of indexes) {
    const group = groups.get(index.collection);
    if (group === undefined) groups.set(index.collection, [index]);
    else group.push(index);
  }
  return groups;
}
