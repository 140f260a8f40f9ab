// Entries with intervals of values, found by a value in them: an interval tree, and a short list of what came after it was built.

import { compareValues, type Value, type ValueKind } from "../../../../core/plugin.ts";

/** Both bounds are inclusive; undefined: unbounded. */
export interface Interval {
  readonly low: Value | undefined;
  readonly high: Value | undefined;
}

interface Item<T> {
  readonly entry: T;
  readonly interval: Interval;
}

/** An implicit tree over items sorted by `low`: the root of each part is its middle item. */
interface Tree<T> {
  readonly items: readonly Item<T>[];
  /** By the index of a part's root: the highest bound in the part; undefined: unbounded. */
  readonly highest: readonly (Value | undefined)[];
}

/** So few are searched one by one. */
const leastChanges = 8;

export class IntervalSet<T> {
  readonly #kind: ValueKind;
  readonly #intervals = new Map<T, Interval>();
  #tree: Tree<T> = { items: [], highest: [] };
  /** Entries that the tree lacks, or has with an interval of the past. */
  readonly #recent = new Map<T, Interval>();
  /** Changes since the tree was built. */
  #changes = 0;

  constructor(kind: ValueKind) {
    this.#kind = kind;
  }

  get size(): number {
    return this.#intervals.size;
  }

  /** In place of the interval that the entry has. */
  add(entry: T, { low, high }: Interval): void {
    const interval = { low, high };
    this.#intervals.set(entry, interval);
    this.#recent.set(entry, interval);
    this.#changes++;
  }

  delete(entry: T): void {
    this.#intervals.delete(entry);
    this.#recent.delete(entry);
    this.#changes++;
  }

  /** Calls `visit` with each entry whose interval holds `value`. */
  visit(value: Value, visit: (entry: T) => void): void {
    // Many entries change between two lookups, or few: a tree for each change would cost as much as a search through all.
    if (this.#changes > leastChanges && this.#changes ** 2 > this.#intervals.size) this.#rebuild();
    for (const [entry, interval] of this.#recent) if (this.#holds(interval, value)) visit(entry);
    this.#visit(this.#tree, 0, this.#tree.items.length, value, visit);
  }

  visitAll(visit: (entry: T) => void): void {
    for (const entry of this.#intervals.keys()) visit(entry);
  }

  #rebuild(): void {
    this.#tree = this.#build();
    this.#recent.clear();
    this.#changes = 0;
  }

  #build(): Tree<T> {
    const items = [...this.#intervals].map(([entry, interval]) => ({ entry, interval }));
    items.sort((a, b) => this.#compare(a.interval.low, b.interval.low, -1));
    const highest = new Array<Value | undefined>(items.length).fill(undefined);
    const fill = (from: number, to: number): Value | undefined => {
      const middle = (from + to) >>> 1;
      const bounds = [items[middle]?.interval.high];
      if (from < middle) bounds.push(fill(from, middle));
      if (middle + 1 < to) bounds.push(fill(middle + 1, to));
      const maximum = bounds.reduce((a, b) => (this.#compare(a, b, 1) >= 0 ? a : b));
      highest[middle] = maximum;
      return maximum;
    };
    if (items.length > 0) fill(0, items.length);
    return { items, highest };
  }

  #visit(tree: Tree<T>, from: number, to: number, value: Value, visit: (entry: T) => void): void {
    if (from >= to) return;
    const middle = (from + to) >>> 1;
    const item = tree.items[middle];
    if (!item || this.#isAbove(value, tree.highest[middle])) return;
    this.#visit(tree, from, middle, value, visit);
    if (this.#isBelow(value, item.interval.low)) return;
    if (this.#intervals.get(item.entry) === item.interval && !this.#isAbove(value, item.interval.high)) visit(item.entry);
    this.#visit(tree, middle + 1, to, value, visit);
  }

  #holds({ low, high }: Interval, value: Value): boolean {
    return !this.#isBelow(value, low) && !this.#isAbove(value, high);
  }

  #isAbove(value: Value, bound: Value | undefined): boolean {
    return bound !== undefined && compareValues(this.#kind, value, bound) > 0;
  }

  #isBelow(value: Value, bound: Value | undefined): boolean {
    return bound !== undefined && compareValues(this.#kind, value, bound) < 0;
  }

  /** @param missing the rank of a missing bound: below or above every value */
  #compare(a: Value | undefined, b: Value | undefined, missing: -1 | 1): number {
    if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? missing : -missing;
    return compareValues(this.#kind, a, b);
  }
}
