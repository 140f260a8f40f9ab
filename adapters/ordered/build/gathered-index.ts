// The entries of an index that is being built, as far as they fit in memory: uids by key.

import type { Uid } from "../../../core/storage.ts";
import type { IndexRuntime } from "../deploy/layout-runtime.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { NodeRecord } from "../structures/records.ts";
import { compareSortKeys, type SortKey } from "../structures/sort-keys.ts";
import { ascending } from "../write/additions.ts";
import { eachEntry } from "../write/entries.ts";

/** Entries with one key. For lists of uids the key is the stored name of the list. */
export interface KeyGroup {
  readonly key: SortKey;
  /** Ascending. */
  readonly uids: readonly Uid[];
}

/** Groups by ascending key, a block at a time. A key may come again, in the same block or the next one, with uids that follow. */
export type Run = AsyncGenerator<readonly KeyGroup[]> | Generator<readonly KeyGroup[]>;

/** What a key takes in memory besides its uids, counted in uids. */
const keyWeight = 12;

/** Keys that are sorted at once: some milliseconds. */
const sortedKeys = 4_096;

export class GatheredIndex {
  readonly index: IndexRuntime;
  /** How many entries were gathered in all. */
  entries = 0;
  #uids = new Map<SortKey, Uid[]>();

  constructor(index: IndexRuntime) {
    this.index = index;
  }

  /** @returns how much this takes in memory, counted in uids */
  add(uid: Uid, record: NodeRecord): number {
    let weight = 0;
    eachEntry(this.index, record, (key) => {
      const uids = this.#uids.get(key);
      if (uids === undefined) {
        this.#uids.set(key, [uid]);
        weight += keyWeight;
      } else if (uids[uids.length - 1] !== uid) {
        uids.push(uid);
        weight++;
      } else {
        return;
      }
      this.entries++;
    });
    return weight;
  }

  /** Everything that was gathered, as small sorted runs; begins anew. */
  *take(): Generator<Run> {
    const { index } = this;
    const nameOf = index.by === "ordered" ? (key: SortKey) => key : (key: SortKey) => boundedText(String(key));
    const taken = this.#uids;
    this.#uids = new Map();
    let groups: KeyGroup[] = [];
    for (const [key, uids] of taken) {
      groups.push({ key: nameOf(key), uids: ascending(uids) });
      if (groups.length < sortedKeys) continue;
      yield sortedRun(groups);
      groups = [];
    }
    yield sortedRun(groups);
  }
}

function* sortedRun(groups: KeyGroup[]): Generator<readonly KeyGroup[]> {
  if (groups.length > 0) yield groups.sort((a, b) => compareSortKeys(a.key, b.key));
}
