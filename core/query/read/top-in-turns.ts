// Filters, orders and cuts many rows in turns: other requests run between.

import type { MaybePromise } from "../../ground/values/value.ts";
import { topK } from "../evaluate/top.ts";
import type { OperationBudget } from "../operation-context.ts";

/** Rows between two looks at the clock, and the most that are sorted in one go: less than a millisecond each. */
const blockRows = 512;

export interface TopRequest<Row> {
  readonly passes: (row: Row) => boolean;
  readonly compare: (a: Row, b: Row) => number;
  /** `first` undefined: all. */
  readonly page: { readonly offset: number; readonly first: number | undefined };
}

/** The same as `topK` of the rows that pass. */
export function topInTurns<Row extends object>(
  rows: readonly Row[],
  { passes, compare, page }: TopRequest<Row>,
  budget: OperationBudget,
): MaybePromise<Row[]> {
  if (rows.length <= blockRows)
    return topK(rows.filter(passes), compare, { offset: page.offset, ...(page.first !== undefined && { first: page.first }) });
  return inTurns(rows, { passes, compare, page }, budget);
}

async function inTurns<Row extends object>(
  rows: readonly Row[],
  { passes, compare, page }: TopRequest<Row>,
  budget: OperationBudget,
): Promise<Row[]> {
  const most = page.first === undefined ? Number.POSITIVE_INFINITY : page.offset + page.first;
  // The best of each block, where a page shows few: then only these are merged.
  const runs: Row[][] = [];
  for (let start = 0; start < rows.length; start += blockRows) {
    await rest(budget);
    const passing = rows.slice(start, start + blockRows).filter(passes);
    runs.push(topK(passing, compare, Number.isFinite(most) ? { first: most } : {}));
  }
  return (await mergeRuns(runs, { compare, most }, budget)).slice(page.offset, most);
}

interface Merging<Row> {
  readonly compare: (a: Row, b: Row) => number;
  /** No more rows are asked for. */
  readonly most: number;
}

/** Pair by pair: each row is compared as often as the number of runs can be halved. Of equal rows those of the earlier run come first. */
async function mergeRuns<Row extends object>(runs: readonly Row[][], merging: Merging<Row>, budget: OperationBudget): Promise<Row[]> {
  let left = runs;
  while (left.length > 1) {
    const merged: Row[][] = [];
    for (let i = 0; i < left.length; i += 2) merged.push(await merge([left[i] ?? [], left[i + 1] ?? []], merging, budget));
    left = merged;
  }
  return left[0] ?? [];
}

async function merge<Row extends object>([a, b]: readonly [Row[], Row[]], { compare, most }: Merging<Row>, budget: OperationBudget): Promise<Row[]> {
  const merged: Row[] = [];
  const length = Math.min(most, a.length + b.length);
  for (let i = 0, k = 0; merged.length < length; ) {
    if (merged.length % blockRows === 0) await rest(budget);
    const [x, y] = [a[i], b[k]];
    if (x !== undefined && (y === undefined || compare(x, y) <= 0)) {
      merged.push(x);
      i++;
    } else if (y !== undefined) {
      merged.push(y);
      k++;
    }
  }
  return merged;
}

async function rest(budget: OperationBudget): Promise<void> {
  budget.spend(0);
  if (budget.isTurnOver) await budget.turn();
}
