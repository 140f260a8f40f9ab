// Things that are about ranges of values, found by a value. Sorted when somebody looks, and again after it has changed.

import { compareValues } from "../ground/values/compare.ts";
import type { Value, ValueKind } from "../ground/values/value.ts";

/** Both ends belong to it; undefined: no bound. */
export interface Interval {
  readonly low: Value | undefined;
  readonly high: Value | undefined;
}

interface Item<T> extends Interval {
  readonly thing: T;
}

/** An implicit tree: the middle of each part is above its two halves. */
interface Tree<T> {
  readonly items: readonly Item<T>[];
  /** By the place of a part's middle: the highest bound in the part; undefined: none. */
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

  put(thing: T, interval: Interval, on: boolean): void {
    if (on) this.#intervals.set(thing, interval);
    else this.#intervals.delete(thing);
    this.#tree = undefined;
  }

  /** Calls `visit` with all whose interval holds `value`. */
  visit(value: Value, visit: (thing: T) => void): void {
    this.#tree ??= this.#build();
    this.#visit(this.#tree, 0, this.#tree.items.length, value, visit);
  }

  all(visit: (thing: T) => void): void {
    for (const thing of this.#intervals.keys()) visit(thing);
  }

  #build(): Tree<T> {
    const items = [...this.#intervals].map(([thing, { low, high }]) => ({ thing, low, high }));
    items.sort((a, b) => this.#compare(a.low, b.low, -1));
    const highest = new Array<Value | undefined>(items.length).fill(undefined);
    const fill = (from: number, to: number): Value | undefined => {
      const middle = (from + to) >>> 1;
      const bounds = [items[middle]?.high];
      if (from < middle) bounds.push(fill(from, middle));
      if (middle + 1 < to) bounds.push(fill(middle + 1, to));
      const top = bounds.reduce((a, b) => (this.#compare(a, b, 1) >= 0 ? a : b));
      highest[middle] = top;
      return top;
    };
    if (items.length > 0) fill(0, items.length);
    return { items, highest };
  }

  #visit(tree: Tree<T>, from: number, to: number, value: Value, visit: (thing: T) => void): void {
    if (from >= to) return;
    const middle = (from + to) >>> 1;
    const item = tree.items[middle];
    if (!item || this.#isAbove(value, tree.highest[middle])) return;
    this.#visit(tree, from, middle, value, visit);
    if (this.#isBelow(value, item.low)) return;
    if (!this.#isAbove(value, item.high)) visit(item.thing);
    this.#visit(tree, middle + 1, to, value, visit);
  }

  #isAbove(value: Value, bound: Value | undefined): boolean {
    return bound !== undefined && compareValues(this.#kind, value, bound) > 0;
  }

  #isBelow(value: Value, bound: Value | undefined): boolean {
    return bound !== undefined && compareValues(this.#kind, value, bound) < 0;
  }

  /** @param missing where a missing bound stands */
  #compare(a: Value | undefined, b: Value | undefined, missing: -1 | 1): number {
    if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? missing : -missing;
    return compareValues(this.#kind, a, b);
  }
}
