// An immutable set of node ids: a sorted array, eight bytes for each id.

import type { Uid } from "../../../../core/plugin.ts";

export class UidSet {
  /** Ascending. */
  readonly uids: readonly Uid[];

  /** @param uids in any order, duplicates allowed */
  constructor(uids: readonly Uid[]) {
    this.uids = isAscending(uids) ? uids : [...new Set(uids)].sort((a, b) => a - b);
  }

  get size(): number {
    return this.uids.length;
  }

  has(uid: Uid): boolean {
    return hasUid(this.uids, uid);
  }
}

/** @param uids ascending */
export function hasUid(uids: readonly Uid[], uid: Uid): boolean {
  let low = 0;
  let high = uids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((uids[middle] ?? 0) < uid) low = middle + 1;
    else high = middle;
  }
  return uids[low] === uid;
}

function isAscending(uids: readonly Uid[]): boolean {
  for (let i = 1; i < uids.length; i++) if ((uids[i - 1] ?? 0) >= (uids[i] ?? 0)) return false;
  return true;
}
