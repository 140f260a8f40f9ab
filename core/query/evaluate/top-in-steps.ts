// Filters, orders and cuts many rows in steps of less than a millisecond, so that the caller can let other work run between them.

import type { Work } from "../../ground/work.ts";
import { topK } from "./top.ts";

/** Rows that one step filters, sorts, merges or compares. */
const stepRows = 512;
/** A page that shows fewer of each block is merged from the best rows of the blocks; a longer one is selected as a whole before it is sorted. */
const fewOfBlock = stepRows / 8;

/** What `topInSteps` filters, orders and cuts by. */
export interface TopRequest<Row> {
  /** Undefined: all do. */
  readonly passes?: ((row: Row) => boolean) | undefined;
  /** No two rows are equal, or it does not matter which one comes first. */
  readonly compare: (a: Row, b: Row) => number;
  /** `first` undefined: all. */
  readonly page: { readonly offset: number; readonly first: number | undefined };
}

/** The same as `topK` of the rows that pass. Few rows take a single step. */
export function* topInSteps<Row extends object | number>(rows: readonly Row[], { passes, compare, page }: TopRequest<Row>): Work<Row[]> {
  const most = page.first === undefined ? Number.POSITIVE_INFINITY : page.offset + page.first;
  const passing = passes ? yield* filtered(rows, passes) : rows;
  const chosen = most > fewOfBlock && most < passing.length ? yield* selectInSteps(passing, { compare, count: most }) : passing;
  return (yield* sorted(chosen, { compare, most })).slice(page.offset, most);
}

/** The `count` first rows: the last of them at the end, the others in any order. */
export function* selectInSteps<Row extends object | number>(
  rows: readonly Row[],
  { compare, count }: { readonly compare: (a: Row, b: Row) => number; readonly count: number },
): Work<Row[]> {
  const list = [...rows];
  let compared = 0;
  for (let from = 0, to = list.length - 1; from < to && count < list.length; ) {
    // By chance: no order of the rows makes it slow every time.
    const pivot = list[from + Math.floor(Math.random() * (to - from + 1))];
    let low = from;
    let high = to;
    while (low <= high) {
      for (; isBefore(list[low], pivot, compare); low++) if (++compared % stepRows === 0) yield;
      for (; isBefore(pivot, list[high], compare); high--) if (++compared % stepRows === 0) yield;
      if (low <= high) swap(list, low++, high--);
      if (++compared % stepRows === 0) yield;
    }
    if (count - 1 <= high) to = high;
    else if (count - 1 >= low) from = low;
    else break;
  }
  return list.slice(0, count);
}

function isBefore<Row>(a: Row | undefined, b: Row | undefined, compare: (a: Row, b: Row) => number): boolean {
  return a !== undefined && b !== undefined && compare(a, b) < 0;
}

function swap<Row>(list: Row[], a: number, b: number): void {
  const [x, y] = [list[a], list[b]];
  if (x === undefined || y === undefined) return;
  list[a] = y;
  list[b] = x;
}

function* filtered<Row>(rows: readonly Row[], passes: (row: Row) => boolean): Work<Row[]> {
  const kept: Row[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (i > 0 && i % stepRows === 0) yield;
    const row = rows[i];
    if (row !== undefined && passes(row)) kept.push(row);
  }
  return kept;
}

interface Sorting<Row> {
  readonly compare: (a: Row, b: Row) => number;
  /** No more rows are asked for. */
  readonly most: number;
}

/** Sorts blocks and merges them pair by pair: each row is compared as often as the number of blocks can be halved. */
function* sorted<Row extends object | number>(rows: readonly Row[], sorting: Sorting<Row>): Work<Row[]> {
  const { compare, most } = sorting;
  let runs: Row[][] = [];
  for (let start = 0; start < rows.length; start += stepRows) {
    if (start > 0) yield;
    runs.push(topK(rows.slice(start, start + stepRows), compare, Number.isFinite(most) ? { first: most } : {}));
  }
  while (runs.length > 1) {
    const merged: Row[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge([runs[i] ?? [], runs[i + 1] ?? []], sorting));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Of equal rows those of the earlier run come first. */
function* merge<Row extends object | number>([a, b]: readonly [Row[], Row[]], { compare, most }: Sorting<Row>): Work<Row[]> {
  if (b.length === 0) return a;
  const merged: Row[] = [];
  const length = Math.min(most, a.length + b.length);
  let i = 0;
  let k = 0;
  let x = a[i];
  let y = b[k];
  while (merged.length < length) {
    if (merged.length % stepRows === 0) yield;
    if (x !== undefined && (y === undefined || compare(x, y) <= 0)) {
      merged.push(x);
      x = a[++i];
    } else if (y !== undefined) {
      merged.push(y);
      y = b[++k];
    }
  }
  return merged;
}
