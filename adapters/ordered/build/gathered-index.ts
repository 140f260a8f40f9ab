// The entries of an index that is being built, as far as they fit in memory.

import type { Uid, Work } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { IndexRuntime } from "../layout/layout-runtime.ts";
import type { NodeRecord } from "../structures/records.ts";
import { compareSortKeys, type SortKey } from "../structures/sort-keys.ts";
import { ascending } from "../write/additions.ts";
import { eachEntry } from "../write/entries.ts";
import { GatheredEntries, type UidsOfKeys } from "./gathered-entries.ts";

/** Entries with one key. For lists of uids the key is the stored name of the list. */
export interface KeyGroup {
  readonly key: SortKey;
  /** Ascending. */
  readonly uids: readonly Uid[];
}

/** Groups by ascending key, a block at a time. A key may come again, in the same block or the next one, with uids that follow. */
export type Run = AsyncGenerator<readonly KeyGroup[]> | Generator<readonly KeyGroup[]>;

/** What a key takes in memory besides its entries, counted in uids. */
const keyWeight = 12;

/** Keys that are sorted at once: some milliseconds. */
const sortedKeys = 4_096;
/** Groups of one block: their uids become arrays when they are written. */
const blockGroups = 64;

export class GatheredIndex {
  readonly index: IndexRuntime;
  /** How many entries were gathered in all. */
  entries = 0;
  /** Numbers of keys. */
  #numbers = new Map<SortKey, number>();
  #gathered = new GatheredEntries();

  constructor(index: IndexRuntime) {
    this.index = index;
  }

  /** @returns how much this takes in memory, counted in uids */
  *add(uid: Uid, record: NodeRecord): Work<number> {
    let weight = 0;
    const left = eachEntry(this.index, record, (key) => {
      let number = this.#numbers.get(key);
      if (number === undefined) {
        number = this.#numbers.size;
        this.#numbers.set(key, number);
        weight += keyWeight;
      }
      if (!this.#gathered.add(number, uid)) return;
      weight++;
      this.entries++;
    });
    if (left !== undefined) yield* left;
    return weight;
  }

  get isEmpty(): boolean {
    return this.#numbers.size === 0;
  }

  /** Everything that was gathered up to this call, as small sorted runs; begins anew. Runs without entries stand between steps that take a while. */
  take(): Generator<Run> {
    const taken = runsOf(this.index, this.#numbers, this.#gathered);
    this.#numbers = new Map();
    this.#gathered = new GatheredEntries();
    return taken;
  }
}

function* runsOf(index: IndexRuntime, numbers: ReadonlyMap<SortKey, number>, gathered: GatheredEntries): Generator<Run> {
  const nameOf = index.by === "ordered" || index.by === "compound" ? (key: SortKey) => key : (key: SortKey) => boundedText(String(key));
  const steps = gathered.grouped();
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) yield noGroups();
  const uidsOf = step.value;
  let keys: NumberedKey[] = [];
  for (const [key, number] of numbers) {
    keys.push({ key: nameOf(key), number });
    if (keys.length < sortedKeys) continue;
    yield sortedRun(keys, uidsOf);
    keys = [];
  }
  yield sortedRun(keys, uidsOf);
}

interface NumberedKey {
  readonly key: SortKey;
  readonly number: number;
}

function* noGroups(): Generator<readonly KeyGroup[]> {}

function* sortedRun(keys: NumberedKey[], uidsOf: UidsOfKeys): Generator<readonly KeyGroup[]> {
  keys.sort((a, b) => compareSortKeys(a.key, b.key));
  for (let start = 0; start < keys.length; start += blockGroups) {
    yield keys.slice(start, start + blockGroups).map(({ key, number }) => ({ key, uids: ascending(uidsOf(number)) }));
  }
}
