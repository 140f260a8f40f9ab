// Comparisons as spans of sort keys, and the entries of an ordered index in them.

import type { Compare, Work } from "../../../core/storage.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import type { OrderedView, Position } from "../structures/ordered-view.ts";
import { compareSortKeys, type SortKey, sortKey } from "../structures/sort-keys.ts";
import type { Reader } from "./reader.ts";
import { ascending, type Stream, streamOf } from "./stream.ts";

/** The lists and ranges of more values are looked up when they are read, a few at a time; an estimate is made from as many. */
export const manyValues = 64;

export interface KeySpan {
  readonly low: SortKey | undefined;
  readonly lowOpen: boolean;
  readonly high: SortKey | undefined;
  readonly highOpen: boolean;
}

/** All entries. */
export const wholeList: KeySpan = { low: undefined, lowOpen: false, high: undefined, highOpen: false };

export function isInSpan({ low, lowOpen, high, highOpen }: KeySpan, key: SortKey): boolean {
  const fromLow = low === undefined ? 1 : compareSortKeys(key, low);
  const toHigh = high === undefined ? 1 : compareSortKeys(high, key);
  return (lowOpen ? fromLow > 0 : fromLow >= 0) && (highOpen ? toHigh > 0 : toHigh >= 0);
}

/** Sorted, without overlaps. */
export function disjoint(spans: readonly KeySpan[]): KeySpan[] {
  const result: KeySpan[] = [];
  for (const span of [...spans].sort(byStart)) {
    const last = result.at(-1);
    if (last === undefined || isApart(last, span)) result.push(span);
    else if (endsBefore(last, span)) result[result.length - 1] = { ...last, high: span.high, highOpen: span.highOpen };
  }
  return result;
}

function byStart(a: KeySpan, b: KeySpan): number {
  if (a.low === undefined || b.low === undefined) return Number(b.low === undefined) - Number(a.low === undefined);
  return compareSortKeys(a.low, b.low) || Number(a.lowOpen) - Number(b.lowOpen);
}

/** `b` begins after `a` ends. */
function isApart(a: KeySpan, b: KeySpan): boolean {
  if (a.high === undefined || b.low === undefined) return false;
  const order = compareSortKeys(b.low, a.high);
  return order > 0 || (order === 0 && a.highOpen && b.lowOpen);
}

function endsBefore(a: KeySpan, b: KeySpan): boolean {
  if (a.high === undefined) return false;
  if (b.high === undefined) return true;
  const order = compareSortKeys(a.high, b.high);
  return order < 0 || (order === 0 && a.highOpen && !b.highOpen);
}

/** The ranges of sort keys that satisfy the comparison exactly. */
export function spansOf(field: FieldRuntime, { op, operands }: Compare): KeySpan[] {
  const keys = operands.flatMap((operand) => sortKey(field.kind, operand) ?? []);
  if (op === "in" || op === "eq") {
    const wanted = op === "eq" ? keys.slice(0, 1) : keys;
    const distinct = [...new Set(wanted)];
    return distinct.map((key) => ({ low: key, lowOpen: false, high: key, highOpen: false }));
  }
  const [first, second] = keys;
  if (first === undefined) return [];
  if (op === "between") {
    if (second === undefined || compareSortKeys(first, second) > 0) return [];
    return [{ low: first, lowOpen: false, high: second, highOpen: false }];
  }
  if (op === "gt" || op === "ge") return [{ low: first, lowOpen: op === "gt", high: undefined, highOpen: false }];
  return [{ low: undefined, lowOpen: false, high: first, highOpen: op === "lt" }];
}

function positionsOf(view: OrderedView, span: KeySpan): readonly [from: Position, to: Position] {
  const from = span.low === undefined ? view.start() : view.lowerBound(span.low, span.lowOpen ? Number.POSITIVE_INFINITY : 0);
  const to = span.high === undefined ? view.end() : view.lowerBound(span.high, span.highOpen ? 0 : Number.POSITIVE_INFINITY);
  return [from, to];
}

interface BlockPart {
  readonly block: number;
  readonly from: number;
  readonly to: number;
}

/** The entries of an ordered index in some spans. */
export class Ranges {
  /** How many entries, at most; of many spans by the first ones. */
  readonly estimate: number;
  readonly #entries: OrderedView;
  readonly #spans: readonly KeySpan[];
  /** Of the first spans. */
  readonly #known: readonly (readonly [from: Position, to: Position])[];

  constructor(entries: OrderedView, spans: readonly KeySpan[]) {
    this.#entries = entries;
    this.#spans = spans;
    this.#known = spans.slice(0, manyValues).map((span) => positionsOf(entries, span));
    const sum = this.#known.reduce((total, [from, to]) => total + entries.estimate(from, to), 0);
    this.estimate = spans.length <= manyValues ? sum : Math.ceil((sum / manyValues) * spans.length);
  }

  /** The entries of each block that lie in a span, from `from` to before `to`. */
  *parts(): Generator<BlockPart> {
    for (const [s, span] of this.#spans.entries()) {
      const [from, to] = this.#known[s] ?? positionsOf(this.#entries, span);
      for (let block = from.block; block <= to.block && block < this.#entries.blockCount; block++) {
        const first = block === from.block ? from.index : 0;
        yield { block, from: first, to: block === to.block ? to.index : Number.POSITIVE_INFINITY };
      }
    }
  }

  *read(reader: Reader): Work<Stream> {
    const entries = this.#entries;
    const uids: number[] = [];
    let sorted = true;
    for (const { block, from, to } of this.parts()) {
      const all = entries.block(block).uids;
      const end = Math.min(to, all.length);
      for (let i = from; i < end; i++) {
        const uid = all[i] ?? 0;
        if (sorted && uid <= (uids.at(-1) ?? 0)) sorted = false;
        uids.push(uid);
      }
      yield* reader.spend(0);
    }
    return streamOf(sorted ? uids : ascending(uids));
  }
}
