// Orders by language for storages that know none: everything that matches is read, sorted here, and cut.

import type { Batch, FindRequest, FollowRequest, Links, Order, Page, Place, Snapshot } from "../../contracts/storage.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { FieldName, MaybePromise, ValueKind } from "../../ground/values/value.ts";
import { type OrderedRow, rowComparator, rowsAfter, topK } from "../evaluate/top.ts";

export type KindOf = (field: FieldName) => ValueKind;

export function ordersByLanguage(order: Order | undefined): order is Order {
  if (!order) return false;
  return order.some((key) => key.collation !== undefined);
}

interface Row extends OrderedRow {
  readonly place: number;
}

export function findSorted(request: FindRequest & { readonly order: Order }, snapshot: Snapshot, kindOf: KindOf): MaybePromise<Batch> {
  const { order, after, page, fields, ...rest } = request;
  return andThen(snapshot.find({ ...rest, fields: withKeys(fields, order) }), (batch) => {
    const places = sortedPlaces(rowsOf(batch, order, fields.length), { order, after, page, kindOf });
    return pick(batch, places, fields.length);
  });
}

export function followSorted(request: FollowRequest & { readonly order: Order }, snapshot: Snapshot, kindOf: KindOf): MaybePromise<Links> {
  const { order, after, page, fields, ...rest } = request;
  return andThen(snapshot.follow({ ...rest, fields: withKeys(fields, order) }), (links) => {
    const rows = rowsOf(links.nodes, order, fields.length);
    const starts = [0];
    const sorted: number[] = [];
    for (let source = 0; source + 1 < links.starts.length; source++) {
      const own = links.rows.slice(links.starts[source], links.starts[source + 1]).flatMap((row) => rows[row] ?? []);
      sorted.push(...sortedPlaces(own, { order, after, page, kindOf }));
      starts.push(sorted.length);
    }
    return { starts, rows: sorted, nodes: { ...links.nodes, columns: links.nodes.columns.slice(0, fields.length) } };
  });
}

function withKeys(fields: readonly FieldName[], order: Order): readonly FieldName[] {
  return [...fields, ...order.map((key) => key.field)];
}

function rowsOf(batch: Batch, order: Order, keysFrom: number): readonly Row[] {
  return batch.uids.map((uid, place) => ({ uid, place, keys: order.map((_, k) => batch.columns[keysFrom + k]?.[place]) }));
}

interface Cut {
  readonly order: Order;
  readonly after: Place | undefined;
  readonly page: Page | undefined;
  readonly kindOf: KindOf;
}

function sortedPlaces(rows: readonly Row[], { order, after, page, kindOf }: Cut): readonly number[] {
  const compare = rowComparator(order, (key) => kindOf(key.field));
  return topK(rowsAfter(rows, compare, after), compare, page ?? {}).map((row) => row.place);
}

function pick(batch: Batch, places: readonly number[], columns: number): Batch {
  const at = <T>(list: readonly T[]): T[] => places.flatMap((place) => list.slice(place, place + 1));
  return { uids: at(batch.uids), types: at(batch.types), columns: batch.columns.slice(0, columns).map(at) };
}
