// Sorts rows in turns of the event loop: long sorts let other requests run between.

import { type Order, type Place, selectInSteps, topInSteps, type Work } from "../../../core/storage.ts";

/** The rows that an ordered read asks for. */
export interface Wanted {
  readonly order: Order;
  /** Only rows behind it. */
  readonly after: Place | undefined;
  /** The number of leading rows to return. */
  readonly wanted: number;
}

/** Rows beyond the wanted ones that are kept until the worst are dropped. */
export const keptRows = 1_000;

export interface First<Row> {
  readonly compare: (a: Row, b: Row) => number;
  /** How many rows. `Infinity`: all. */
  readonly count: number;
}

/** The first rows, sorted. */
export function firstSorted<Row extends object | number>(rows: readonly Row[], { compare, count }: First<Row>): Work<Row[]> {
  const first = count === Number.POSITIVE_INFINITY ? undefined : count;
  return topInSteps(rows, { compare, page: { offset: 0, first } });
}

/** The first rows: the last of them at the end, the others in any order. */
export function firstUnsorted<Row extends object | number>(rows: readonly Row[], first: First<Row>): Work<Row[]> {
  return selectInSteps(rows, first);
}
