// Order by records: every candidate is read, and the first rows are kept.

import { type Order, type OrderedRow, rowComparator, type Uid, type Work } from "../../../core/storage.ts";
import type { Candidates } from "./candidates.ts";
import { blockRows, type Reader } from "./reader.ts";
import { scan } from "./scan.ts";
import { firstSorted, firstUnsorted, keptRows, type Wanted } from "./sort-rows.ts";

/** The first `wanted` of these nodes, whose records are cached. */
export function* sorted(reader: Reader, uids: readonly Uid[], { order, after, wanted }: Wanted): Work<Uid[]> {
  const compare = comparatorFor(reader, order);
  const rows: OrderedRow[] = [];
  for (let start = 0; start < uids.length; start += blockRows) {
    if (start > 0) yield* reader.spend(0);
    for (const row of rowsFor(reader, uids.slice(start, start + blockRows), order)) {
      if (after === undefined || compare(row, after) > 0) rows.push(row);
    }
  }
  return (yield* firstSorted(rows, { compare, count: wanted })).map((row) => row.uid);
}

/** Reads records block by block and keeps no more than are wanted. */
export function* topByRecord(reader: Reader, candidates: Candidates, { order, after: place, wanted }: Wanted): Work<readonly Uid[]> {
  const compare = comparatorFor(reader, order);
  const { driven, after } = candidates;
  let kept: OrderedRow[] = [];
  // Nothing beyond it is among the first. It is asked before the place: nearly all rows end here.
  let worst: OrderedRow | undefined;
  function* halve(): Work<true> {
    kept = yield* firstUnsorted(kept, { compare, count: wanted });
    worst = kept[wanted - 1];
    return true;
  }
  yield* scan(
    reader,
    { ...driven, records: true },
    {
      after,
      take(uids) {
        for (const row of rowsFor(reader, uids, order)) {
          if (worst !== undefined && compare(row, worst) >= 0) continue;
          if (place === undefined || compare(row, place) > 0) kept.push(row);
        }
        return kept.length > wanted * 2 + keptRows ? halve() : true;
      },
    },
  );
  return (yield* firstSorted(kept, { compare, count: wanted })).map((row) => row.uid);
}

function comparatorFor(reader: Reader, order: Order): (a: OrderedRow, b: OrderedRow) => number {
  return rowComparator(order, (key) => reader.field(key.field).kind);
}

function rowsFor(reader: Reader, uids: readonly Uid[], order: Order): OrderedRow[] {
  const fields = order.map((key) => reader.field(key.field));
  return uids.map((uid) => {
    const record = reader.record(uid);
    return { uid, keys: fields.map((field) => record && field.read(record)) };
  });
}
