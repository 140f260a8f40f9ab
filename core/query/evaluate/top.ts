// Orders rows and cuts pages without an index.

import type { Order, OrderKey, Page, Place } from "../../contracts/storage/requests.ts";
import { compareValues } from "../../ground/values/compare.ts";
import { convertValue } from "../../ground/values/convert.ts";
import type { Stored, Value, ValueKind } from "../../ground/values/value.ts";

/** A row to be ordered: `keys[k]` is its value for the order's key `k`. */
export type OrderedRow = Place;

/** Compares rows: missing values last in both directions, then the next key, at the end by uid. */
export function rowComparator(order: Order, kindOf: (key: OrderKey) => ValueKind): (a: OrderedRow, b: OrderedRow) => number {
  const keys = order.map((key) => valueComparator(key, kindOf(key)));
  return (a, b) => {
    for (let k = 0; k < keys.length; k++) {
      const outcome = keys[k]?.(a.keys[k], b.keys[k]) ?? 0;
      if (outcome !== 0) return outcome;
    }
    return a.uid - b.uid;
  };
}

function valueComparator(key: OrderKey, kind: ValueKind): (a: Stored | undefined, b: Stored | undefined) => number {
  const sign = key.direction === "asc" ? 1 : -1;
  const collator = key.collation === undefined ? undefined : new Intl.Collator(key.collation);
  return (a, b) => {
    if (a === undefined || b === undefined || typeof a === "object" || typeof b === "object") return Number(isMissing(a)) - Number(isMissing(b));
    if (collator && typeof a === "string" && typeof b === "string") return sign * collator.compare(a, b);
    const outcome = compareValues(kind, a, b);
    // What a deploy left of an earlier kind stands behind the values that have an order: equal to each of them, it would leave these unsorted.
    return Number.isNaN(outcome) ? Number(isForeign(kind, a)) - Number(isForeign(kind, b)) : sign * outcome;
  };
}

function isForeign(kind: ValueKind, value: Value): boolean {
  return convertValue(value, kind) === undefined;
}

/** Lists and geometries have no order: they count as missing. */
function isMissing(value: Stored | undefined): boolean {
  return value === undefined || typeof value === "object";
}

/** The rows behind a place; undefined: all rows. */
export function rowsAfter<Row extends OrderedRow>(
  rows: readonly Row[],
  compare: (a: OrderedRow, b: OrderedRow) => number,
  place: Place | undefined,
): readonly Row[] {
  return place === undefined ? rows : rows.filter((row) => compare(row, place) > 0);
}

/** The rows of the page, in order. Keeps only what the page can show, so that `first: 10` of a million never sorts a million. */
export function topK<Row>(rows: readonly Row[], compare: (a: Row, b: Row) => number, page: Page = {}): Row[] {
  if ("last" in page) return rows.slice(Math.max(0, rows.length - page.last));
  const offset = page.offset ?? 0;
  const wanted = page.first === undefined ? rows.length : Math.min(rows.length, offset + page.first);
  const kept = wanted * 8 < rows.length ? smallest(rows, compare, wanted) : [...rows].sort(compare);
  return kept.slice(offset, wanted);
}

/** The `count` first rows, sorted: a buffer of twice as many is sorted and halved whenever it is full. */
function smallest<Row>(rows: readonly Row[], compare: (a: Row, b: Row) => number, count: number): Row[] {
  if (count === 0) return [];
  const limit = Math.max(64, count * 2);
  let kept: Row[] = [];
  let worst: Row | undefined;
  for (const row of rows) {
    if (worst !== undefined && compare(row, worst) >= 0) continue;
    kept.push(row);
    if (kept.length < limit) continue;
    kept = kept.sort(compare).slice(0, count);
    worst = kept[count - 1];
  }
  return kept.sort(compare).slice(0, count);
}
