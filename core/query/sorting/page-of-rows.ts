// Pages of many rows.

import type { Order, Page, Place } from "../../contracts/storage/requests.ts";
import type { FieldName, ValueKind } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";
import { type OrderedRow, rowComparator, rowsAfter, topK } from "../evaluate/top.ts";
import { topInSteps } from "../evaluate/top-in-steps.ts";

export interface RowsPage {
  readonly order: Order;
  readonly after: Place | undefined;
  readonly page: Page | undefined;
  readonly kindOf: (field: FieldName) => ValueKind;
}

/** The rows of a page in order, behind a place if there is one. */
export function* pageOfRows<Row extends OrderedRow>(rows: readonly Row[], { order, after, page = {}, kindOf }: RowsPage): Work<readonly Row[]> {
  const compare = rowComparator(order, (key) => kindOf(key.field));
  if ("last" in page) return topK(rowsAfter(rows, compare, after), compare, page);
  const { offset = 0, first } = page;
  const passes = after && ((row: Row) => compare(row, after) > 0);
  return yield* topInSteps(rows, { passes, compare, page: { offset, first } });
}
