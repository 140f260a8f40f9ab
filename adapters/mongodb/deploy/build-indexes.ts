// Builds the native indexes of a layout while the old ones serve, one collection after another, so that its documents are read once.

import type { IndexDescription } from "mongodb";
import type { MigrationStep } from "../../../core/storage.ts";
import type { Connection } from "../connection/connection.ts";
import type { Lease } from "../database/lease.ts";
import {
  byCollection,
  canBecome,
  dropIndexes,
  type Existing,
  existingIndexes,
  isOurs,
  mongoTakes,
  type NativeIndex,
} from "../layout/native-indexes.ts";
import { watchBuild } from "./index-progress.ts";

/** The indexes that a collection has, those of the new layout, and those to keep until the switch. */
export interface IndexSite {
  readonly collection: string;
  readonly existing: ReadonlyMap<string, Existing>;
  readonly wanted: readonly NativeIndex[];
  /** The indexes that the deployed layout uses, by name. */
  readonly serving: ReadonlyMap<string, NativeIndex>;
}

export async function indexSites(connection: Connection, wanted: readonly NativeIndex[], serving: readonly NativeIndex[]): Promise<IndexSite[]> {
  const servingOf = byCollection(serving);
  return await Promise.all(
    [...byCollection(wanted)].map(async ([collection, indexes]) => ({
      collection,
      existing: await existingIndexes(connection, collection),
      wanted: indexes,
      serving: new Map((servingOf.get(collection) ?? []).map((index) => [index.name, index])),
    })),
  );
}

/** A sentence for each collection that would have more indexes than MongoDB allows. */
export function overfullCollections(sites: readonly IndexSite[]): string[] {
  return sites.flatMap(({ collection, existing, wanted, serving }) => {
    const needed = wanted.filter((index) => !index.spare);
    const others = [...existing.keys()].filter((name) => !isOurs(name) && name !== byUid).length;
    const total = needed.length + others + 1;
    if (total <= mongoTakes) {
      const going = [...serving.values()].filter((index) => index.unique && !needed.some(({ name }) => name === index.name)).length;
      if (total + going <= mongoTakes) return [];
      return [
        `type ${collection} needs ${total} indexes of MongoDB, which takes ${mongoTakes} for each type, while ${going} of keys and links ` +
          "that this schema gives up still serve: take those away in a deploy of its own first",
      ];
    }
    const count = (word: string) => needed.filter((index) => index.what.startsWith(`${word} `)).length;
    const parts = [
      [count("index"), "of fields"],
      [count("tokens"), "of terms"],
      [count("key"), "of keys"],
      [count("edge"), "of links"],
      [1, "of uids"],
      [others, "that Quern did not make"],
    ] as const;
    const listed = parts.flatMap(([n, what]) => (n > 0 ? [`${n} ${what}`] : [])).join(", ");
    const less = total - mongoTakes;
    return [
      `type ${collection} needs ${total} indexes of MongoDB, which takes ${mongoTakes} for each type (${listed}): ` +
        `index ${less} field${less === 1 ? "" : "s"} less, or move some to a type that ${collection} links to`,
    ];
  });
}

const byUid = "_id_";

/** Reads and writes go on. Unique indexes become unique later. */
export async function buildIndexes(
  connection: Connection,
  lease: Lease,
  { sites, progress }: { readonly sites: readonly IndexSite[]; readonly progress: ((step: MigrationStep) => void) | undefined },
): Promise<void> {
  for (const site of sites) {
    const { collection, existing } = site;
    const { built, gone } = shareOut(site);
    if (gone.length === 0 && built.every((index) => isServed(site, index))) continue;
    await lease.assertHeld();
    await dropIndexes(connection, collection, gone);
    await lease.assertHeld();
    // Listed indexes may still be building: a build goes on when its client is gone. A repeated command waits for it.
    const specs = built.map((index) => specOf(index, existing.get(index.name)));
    const build = connection.collection(collection).createIndexes(specs, { commitQuorum: "majority" });
    if (progress === undefined) await build;
    else {
      const missing = built.filter((index) => !canBecome(existing.get(index.name), index));
      await watchBuild(connection, { collection, what: labelOf(collection, missing), isNew: missing.length > 0, build, progress });
    }
  }
}

/** Whether the deployed layout uses the index, which was complete when that layout was deployed. */
function isServed({ existing, serving }: IndexSite, index: NativeIndex): boolean {
  return serving.has(index.name) && canBecome(existing.get(index.name), index);
}

/** Whether the index refused duplicates before this deploy, and stays. */
export function isUniqueAlready({ existing }: IndexSite, index: NativeIndex): boolean {
  const known = existing.get(index.name);
  return known?.unique === true && canBecome(known, index);
}

/** Whether the collection has indexes that the new layout does not want. */
export function hasUnwanted({ existing, wanted }: IndexSite): boolean {
  const names = new Set(wanted.map(({ name }) => name));
  return [...existing.keys()].some((name) => isOurs(name) && !names.has(name));
}

/** Priority within the limit: unique indexes of the deployed layout, then the new layout, then other indexes of the old one until the switch. */
function shareOut({ existing, wanted, serving }: IndexSite): { readonly built: readonly NativeIndex[]; readonly gone: readonly string[] } {
  const ours = [...existing.keys()].filter(isOurs);
  const wantedNames = new Set(wanted.map((index) => index.name));
  const old = [...serving.values()].filter(({ name }) => existing.has(name) && !wantedNames.has(name));
  const staying = old.filter(({ name }) => existing.get(name)?.refuses);
  const room = mongoTakes - (existing.size - ours.length || 1) - staying.length;
  const built = [...wanted].sort((a, b) => Number(a.spare ?? false) - Number(b.spare ?? false)).slice(0, room);
  const others = old.filter((index) => !staying.includes(index)).sort((a, b) => Number(a.spare ?? false) - Number(b.spare ?? false));
  const kept = new Set([...staying, ...others.slice(0, room - built.length)].map((index) => index.name));
  for (const index of built) if (canBecome(existing.get(index.name), index)) kept.add(index.name);
  // Includes indexes that an interrupted deploy began.
  return { built, gone: ours.filter((name) => !kept.has(name)) };
}

function specOf(index: NativeIndex, existing: Existing | undefined): IndexDescription {
  const { key, name, having } = index;
  const kept = canBecome(existing, index) ? existing : undefined;
  const partial = having && { partialFilterExpression: Object.fromEntries(having.map((path) => [path, { $exists: true }])) };
  return { key: { ...key }, name, ...partial, ...(kept?.unique && { unique: true }) };
}

/** For people. */
function labelOf(collection: string, indexes: readonly NativeIndex[]): string {
  const names = [...new Set(indexes.map((index) => index.what))];
  return names.length === 0 || names.length > 3 ? `${names.length || "all"} indexes of ${collection}` : names.join(", ");
}
