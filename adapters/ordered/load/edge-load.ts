// The links of one edge in a load: gathered from both sides, then written to a new link store.

import type { EdgeName, Link } from "../../../core/storage.ts";
import type { Scratch } from "../build/scratch.ts";
import type { StoreOperation } from "../ground/store.ts";
import type { EndRuntime, LinkStoreRuntime } from "../layout/layout-runtime.ts";
import { type ListVisitor, NewLists } from "./new-lists.ts";
import { SortedPairs } from "./sorted-pairs.ts";

/** Where the links of an edge are, and where those of the load come. */
export interface EdgeStores {
  readonly name: EdgeName;
  /** The store of before, which has no links. */
  readonly before: LinkStoreRuntime;
  readonly now: LinkStoreRuntime;
}

/** Entries that are written together: some ten milliseconds. */
const entriesAtOnce = 3_000;

export class EdgeLoad {
  readonly stores: EdgeStores;
  /** Partners by node, of the first and of the second side. */
  readonly #pairs: readonly [SortedPairs, SortedPairs];

  constructor(stores: EdgeStores, scratch: Scratch) {
    this.stores = stores;
    const first = new SortedPairs(scratch);
    this.#pairs = [first, stores.now.symmetric ? first : new SortedPairs(scratch)];
  }

  /** @param end of the store of before */
  add({ from, to }: Link, end: EndRuntime): void {
    const [first, second] = this.#pairs;
    const isFirst = end.lists === this.stores.before.lists[0];
    (isFirst ? first : second).add(from, to);
    (isFirst ? second : first).add(to, from);
  }

  /** How many pairs are in memory. */
  get held(): number {
    const [first, second] = this.#pairs;
    return first.held + (second === first ? 0 : second.held);
  }

  async spill(): Promise<void> {
    for (const pairs of new Set(this.#pairs)) await pairs.spill();
  }

  /** The entries of all lists, some at a time. */
  async *entries(visitOf: (side: 0 | 1) => ListVisitor | undefined): AsyncGenerator<LoadedEntries> {
    const { lists, symmetric } = this.stores.now;
    for (const side of symmetric ? ([0] as const) : ([0, 1] as const)) {
      const into = new NewLists(lists[side], visitOf(side));
      for await (const { keys, uids, length } of this.#pairs[side].merged()) {
        for (let i = 0; i < length; i++) into.add(keys[i] ?? 0, uids[i] ?? 0);
        if (into.waiting >= entriesAtOnce) yield { operations: into.take(), pairs: length };
      }
      into.end();
      yield { operations: into.take(), pairs: 0 };
    }
  }
}

export interface LoadedEntries {
  readonly operations: readonly StoreOperation[];
  readonly pairs: number;
}
