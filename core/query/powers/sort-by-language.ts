// Orders by language for storages that know none: everything that matches is read, sorted here, and cut.

import type { FindRequest, FollowRequest, Order } from "../../contracts/storage/requests.ts";
import type { Batch, Links } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { FieldName, ValueKind } from "../../ground/values/value.ts";
import { type Work, wait } from "../../ground/work.ts";
import type { OrderedRow } from "../evaluate/top.ts";
import { batchOf } from "../sorting/batch-rows.ts";
import { linksOf, partnersOf } from "../sorting/links-of.ts";
import { mapped } from "../sorting/mapped.ts";
import { pageOfRows } from "../sorting/page-of-rows.ts";

export type KindOf = (field: FieldName) => ValueKind;

export function ordersByLanguage(order: Order | undefined): order is Order {
  if (!order) return false;
  return order.some((key) => key.collation !== undefined);
}

interface Row extends OrderedRow {
  readonly place: number;
}

export interface SortContext {
  readonly snapshot: Snapshot;
  readonly kindOf: KindOf;
}

export function* findSorted(request: FindRequest & { readonly order: Order }, { snapshot, kindOf }: SortContext): Work<Batch> {
  const { order, after, page, fields, ...rest } = request;
  const batch = yield* wait(snapshot.find({ ...rest, fields: withKeys(fields, order) }));
  const rows = yield* rowsOf(batch, { order, keysFrom: fields.length });
  return yield* batchOf(batch, yield* pageOfRows(rows, { order, after, page, kindOf }), fields.length);
}

export function* followSorted(request: FollowRequest & { readonly order: Order }, { snapshot, kindOf }: SortContext): Work<Links> {
  const { order, after, page, fields, ...rest } = request;
  const links = yield* wait(snapshot.follow({ ...rest, fields: withKeys(fields, order) }));
  const { starts, nodes } = links;
  const rows = yield* rowsOf(nodes, { order, keysFrom: fields.length });
  const pages: (readonly Row[])[] = [];
  for (let source = 0; source + 1 < starts.length; source++) {
    yield;
    const partners = partnersOf(links, source).flatMap((row) => rows[row] ?? []);
    pages.push(yield* pageOfRows(partners, { order, after, page, kindOf }));
  }
  return { ...linksOf(pages), nodes: { ...nodes, columns: nodes.columns.slice(0, fields.length) } };
}

function withKeys(fields: readonly FieldName[], order: Order): readonly FieldName[] {
  return [...fields, ...order.map((key) => key.field)];
}

interface Keys {
  readonly order: Order;
  /** The first column of keys. */
  readonly keysFrom: number;
}

function rowsOf({ uids, columns }: Batch, { order, keysFrom }: Keys): Work<readonly Row[]> {
  return mapped(uids, (uid, place) => ({ uid, place, keys: order.map((_, k) => columns[keysFrom + k]?.[place]) }));
}
