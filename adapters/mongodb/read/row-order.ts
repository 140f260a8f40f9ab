// The order of rows, and the page of rows that are in memory.

import { type Order, type Page, type Place, rowComparator, run, topInSteps } from "../../../core/storage.ts";
import type { Reader } from "./reader.ts";
import type { Row } from "./rows.ts";

export interface RowsCut {
  readonly order: Order;
  readonly after?: Place | undefined;
  readonly page: Page | undefined;
}

/** The page of rows in any order. */
export async function cutRows(reader: Reader, rows: readonly Row[], cut: RowsCut, compare = comparatorOf(reader, cut.order)): Promise<Row[]> {
  const { after, page = {} } = cut;
  const { offset = 0, first = undefined } = "last" in page ? {} : page;
  const passes = after && isBehind(reader, { ...cut, after });
  const sorted = await run(topInSteps(rows, { passes, compare, page: { offset, first } }), reader.turns);
  return "last" in page ? sorted.slice(Math.max(0, sorted.length - page.last)) : sorted;
}

function isBehind(reader: Reader, { order, after }: { readonly order: Order; readonly after: Place }): (row: Row) => boolean {
  const compare = rowComparator(order, (key) => reader.schema.fields.get(key.field)?.kind ?? "string");
  return (row) => compare({ uid: row.uid, keys: order.map((key) => row.value(key.field)) }, after) > 0;
}

export function comparatorOf(reader: Reader, order: Order): (a: Row, b: Row) => number {
  if (order.length === 0) return (a, b) => a.uid - b.uid;
  const compare = rowComparator(order, (key) => reader.schema.fields.get(key.field)?.kind ?? "string");
  const keys = new Map<Row, ReturnType<Row["value"]>[]>();
  const keyed = (row: Row) => {
    let values = keys.get(row);
    if (values === undefined) {
      values = order.map((key) => row.value(key.field));
      keys.set(row, values);
    }
    return { uid: row.uid, keys: values };
  };
  return (a, b) => compare(keyed(a), keyed(b));
}
