// Binary searches for the position of an entry in the directory and in one block of an ordered index.

import type { Block, Directory, Entry } from "./index-blocks.ts";
import { compareSortKeys, type SortKey } from "./sort-keys.ts";

function comparePlace(key: SortKey, uid: number, otherKey: SortKey, otherUid: number): number {
  return compareSortKeys(key, otherKey) || uid - otherUid;
}

/** The end of the run of `entries`, from `start` on, that belongs into the block at `place`. */
export function endInBlock(directory: Directory, place: number, entries: readonly Entry[], start: number): number {
  const nextKey = directory.keys[place + 1];
  if (nextKey === undefined) return entries.length;
  const nextUid = directory.uids[place + 1] ?? 0;
  let end = start + 1;
  for (; end < entries.length; end++) {
    const entry = entries[end];
    if (entry === undefined || comparePlace(entry.key, entry.uid, nextKey, nextUid) >= 0) break;
  }
  return end;
}

export function compareEntries(a: Entry, b: Entry): number {
  return comparePlace(a.key, a.uid, b.key, b.uid);
}

/** The block that has, or would have, an entry. */
export function placeOf(directory: Directory, key: SortKey, uid: number): number {
  let low = 1;
  let high = directory.ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePlace(directory.keys[middle] ?? 0, directory.uids[middle] ?? 0, key, uid) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function entryPosition(block: Block, key: SortKey, uid: number, from = 0): number {
  let low = from;
  let high = block.uids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePlace(block.keys[middle] ?? 0, block.uids[middle] ?? 0, key, uid) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function isEntry(block: Block, position: number, key: SortKey, uid: number): boolean {
  const found = block.keys[position];
  return found !== undefined && block.uids[position] === uid && compareSortKeys(found, key) === 0;
}
