// Entries with intervals of values, found by a value in them. An interval tree, rebuilt at the first lookup after a change.

import { compareValues, type Value, type ValueKind } from "../../../../core/plugin.ts";

/** Both bounds are inclusive; undefined: unbounded. */
export interface Interval {
  readonly low: Value | undefined;
  readonly high: Value | undefined;
}

interface Item<T> extends Interval {
  readonly entry: T;
}

/** An implicit tree over items sorted by `low`: the root of each part is its middle item. */
interface Tree<T> {
  readonly items: readonly Item<T>[];
  /** By the index of a part's root: the highest bound in the part; undefined: unbounded. */
  readonly highest: readonly (Value | undefined)[];
}

export class IntervalSet<T> {
  readonly #kind: ValueKind;
  readonly #intervals = new Map<T, Interval>();
  #tree: Tree<T> | undefined;

  constructor(kind: ValueKind) {
    this.#kind = kind;
  }

  get size(): number {
    return this.#intervals.size;
  }

  add(entry: T, interval: Interval): void {
    this.#intervals.set(entry, interval);
    this.#tree = undefined;
  }

  delete(entry: T): void {
    this.#intervals.delete(entry);
    this.#tree = undefined;
  }

  /** Calls `visit` with each entry whose interval holds `value`. */
  visit(value: Value, visit: (entry: T) => void): void {
    this.#tree ??= this.#build();
    this.#visit(this.#tree, 0, this.#tree.items.length, value, visit);
  }

  visitAll(visit: (entry: T) => void): void {
    for (const entry of this.#intervals.keys()) visit(entry);
  }

  #build(): Tree<T> {
    const items = [...this.#intervals].map(([entry, { low, high }]) => ({ entry, low, high }));
    items.sort((a, b) => this.#compare(a.low, b.low, -1));
    const highest = new Array<Value | undefined>(items.length).fill(undefined);
    const fill = (from: number, to: number): Value | undefined => {
      const middle = (from + to) >>> 1;
      const bounds = [items[middle]?.high];
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
    if (this.#isBelow(value, item.low)) return;
    if (!this.#isAbove(value, item.high)) visit(item.entry);
    this.#visit(tree, middle + 1, to, value, visit);
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
