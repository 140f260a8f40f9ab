// Filters, orders and cuts many rows in turns: other requests run between.

import type { Order, Page, Place } from "../../contracts/storage/requests.ts";
import type { FieldName, MaybePromise, ValueKind } from "../../ground/values/value.ts";
import { run, type Turns } from "../../ground/work.ts";
import { type OrderedRow, rowComparator, rowsAfter, topK } from "../evaluate/top.ts";
import { type TopRequest, topInSteps } from "../evaluate/top-in-steps.ts";

/** The same as `topK` of the rows that pass. At once when that takes no longer than a turn. */
export function topInTurns<Row extends object>(rows: readonly Row[], request: TopRequest<Row>, budget: Turns): MaybePromise<Row[]> {
  return run(topInSteps(rows, request), budget);
}

export interface RowsPage {
  readonly order: Order;
  readonly after: Place | undefined;
  readonly page: Page | undefined;
  readonly kindOf: (field: FieldName) => ValueKind;
}

/** The rows of a page in order, behind a place if there is one. */
export function pageInTurns<Row extends OrderedRow>(
  rows: readonly Row[],
  { order, after, page = {}, kindOf }: RowsPage,
  budget: Turns,
): MaybePromise<Row[]> {
  const compare = rowComparator(order, (key) => kindOf(key.field));
  if ("last" in page) return topK(rowsAfter(rows, compare, after), compare, page);
  const { offset = 0, first } = page;
  const passes = after && ((row: Row) => compare(row, after) > 0);
  return topInTurns(rows, { passes, compare, page: { offset, first } }, budget);
}
