// What runs of a build consist of.

import type { Uid } from "../../../core/storage.ts";
import type { SortKey } from "../structures/sort-keys.ts";

/** Entries with one key. For lists of uids the key is the stored name of the list. */
export interface KeyGroup {
  readonly key: SortKey;
  /** Ascending; with values in the order in which the nodes were read. */
  readonly uids: readonly Uid[];
  /** In a compound index over a number, whose keys are lists: the number of each node; NaN where it has none. */
  readonly values?: readonly number[];
}

/** Groups by ascending key, a block at a time. A key may come again, in the same block or the next one, with uids that follow. */
export type Run = AsyncGenerator<readonly KeyGroup[]> | Generator<readonly KeyGroup[]>;

/** Groups of one block: their uids become arrays when they are written. */
export const blockGroups = 64;

/** Keys that are sorted at once: some milliseconds. */
export const sortedKeys = 4_096;

/** What a key takes in memory besides its entries, counted in uids. */
export const keyWeight = 12;

/** Stands between steps that take a while. */
export function* noGroups(): Generator<readonly KeyGroup[]> {}
