// Builds the native indexes of a layout beside those that serve, a collection at a time, so that its documents are read once.

import type { IndexDescription } from "mongodb";
import type { MigrationStep } from "../../../core/index.ts";
import type { Connection } from "../connection.ts";
import { watchBuild } from "./index-progress.ts";
import type { Lease } from "./lease.ts";
import { byCollection, canBecome, type Existing, existingIndexes, isOurs, mongoTakes, type NativeIndex } from "./native-indexes.ts";

/** What a collection has, shall have, and has to keep until the switch. */
export interface IndexSite {
  readonly collection: string;
  readonly existing: ReadonlyMap<string, Existing>;
  readonly wanted: readonly NativeIndex[];
  /** What the deployed layout reads by, by name. */
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

/** A sentence for each collection that would have more indexes than MongoDB takes. */
export function crowdedSites(sites: readonly IndexSite[]): string[] {
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

/** Everybody reads and writes meanwhile. Unique indexes are not unique yet. */
export async function buildIndexes(
  connection: Connection,
  lease: Lease,
  { sites, progress }: { readonly sites: readonly IndexSite[]; readonly progress: ((step: MigrationStep) => void) | undefined },
): Promise<void> {
  for (const site of sites) {
    const missing = site.wanted.filter((index) => !canBecome(site.existing.get(index.name), index));
    const dropped = await makeRoom(connection, lease, site, missing);
    const room = mongoTakes - (site.existing.size || 1) + dropped;
    const needed = missing.filter((index) => !index.spare);
    const left = new Set(missing.filter((index) => index.spare).slice(Math.max(0, room - needed.length)));
    await lease.assertHeld();
    // Those that are listed may still be on their way: the database goes on with a build when who asked for it is gone. Asked again, it waits.
    const specs = site.wanted.filter((index) => !left.has(index)).map((index) => specOf(index, site.existing.get(index.name)));
    if (specs.length === 0) continue;
    const build = connection.collection(site.collection).createIndexes(specs, { commitQuorum: "majority" });
    if (progress === undefined) await build;
    else
      await watchBuild(connection, {
        collection: site.collection,
        what: labelOf(site.collection, missing),
        isNew: missing.length > 0,
        build,
        progress,
      });
  }
}

/** @returns how many went */
async function makeRoom(connection: Connection, lease: Lease, site: IndexSite, missing: readonly NativeIndex[]): Promise<number> {
  const { collection, existing, wanted, serving } = site;
  const again = new Set(missing.map((index) => index.name));
  const kept = new Set(wanted.map((index) => index.name));
  const ours = [...existing.keys()].filter(isOurs);
  // What a deploy that did not come to its end began, and what cannot become what it is to be.
  const gone = ours.filter((name) => again.has(name) || !(kept.has(name) || serving.has(name)));
  const needed = missing.filter((index) => !index.spare).length;
  const over = (existing.size || 1) - gone.length + needed - mongoTakes;
  // Requests under the old layout get slower; what refuses values has to stay.
  const spendable = [...serving.values()].filter(({ name }) => existing.get(name)?.refuses === false && !gone.includes(name) && !kept.has(name));
  const spares = spendable.filter((index) => index.spare);
  if (over > 0) gone.push(...[...spares, ...spendable.filter((index) => !index.spare)].slice(0, over).map((index) => index.name));
  for (const name of gone) {
    await lease.assertHeld();
    await connection.collection(collection).dropIndex(name);
  }
  return gone.length;
}

function specOf({ key, name, having }: NativeIndex, existing: Existing | undefined): IndexDescription {
  const partial = having && { partialFilterExpression: Object.fromEntries(having.map((path) => [path, { $exists: true }])) };
  return { key: { ...key }, name, ...partial, ...(existing?.unique && { unique: true }) };
}

/** For people. */
function labelOf(collection: string, indexes: readonly NativeIndex[]): string {
  const names = [...new Set(indexes.map((index) => index.what))];
  return names.length === 0 || names.length > 3 ? `${names.length || "all"} indexes of ${collection}` : names.join(", ");
}
