// How the collections of a sharded database are divided. No unique index lacks the shard key of its collection: what is unique beside `_id` has a collection
// of its own. `_id` is unique in all of a collection, since documents with the same `_id` have the same shard key.

import { changesCollection, holdsPairs, holdsUniqueEntries, own, stripesCollection } from "../layout/names.ts";

export type ShardKey = Readonly<Record<string, 1 | "hashed">>;

/** Undefined: the collection lies on one shard. It is small, or read by nobody. */
export function shardKeyOf(collection: string): ShardKey | undefined {
  // Locks, records and stripes lie where their node lies: the hash of its uid is that of its `_id`.
  if (collection === changesCollection || collection === stripesCollection) return { home: "hashed" };
  if (holdsUniqueEntries(collection)) return { k: 1 };
  // `b` lets MongoDB divide the links of one node.
  if (holdsPairs(collection)) return { a: "hashed", b: 1 };
  if (collection.startsWith(own)) return undefined;
  return { _id: "hashed" };
}
