// Orders by language for storages that know none: everything that matches is read, sorted here, and cut.

import type { FindRequest, FollowRequest, Order } from "../../contracts/storage/requests.ts";
import type { Batch, Links } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { FieldName, MaybePromise, ValueKind } from "../../ground/values/value.ts";
import type { Turns } from "../../ground/work.ts";
import type { OrderedRow } from "../evaluate/top.ts";
import { batchOf } from "./batch-rows.ts";
import { eachInTurns, mapInTurns } from "./each-in-turns.ts";
import { linksOf, partnersOf } from "./links-of.ts";
import { pageInTurns } from "./top-in-turns.ts";

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
  readonly budget: Turns;
}

export function findSorted(request: FindRequest & { readonly order: Order }, { snapshot, kindOf, budget }: SortContext): MaybePromise<Batch> {
  const { order, after, page, fields, ...rest } = request;
  return andThen(snapshot.find({ ...rest, fields: withKeys(fields, order) }), (batch) =>
    andThen(rowsOf(batch, { order, keysFrom: fields.length }, budget), (rows) =>
      andThen(pageInTurns(rows, { order, after, page, kindOf }, budget), (sorted) => batchOf(batch, sorted, fields.length, budget)),
    ),
  );
}

export function followSorted(request: FollowRequest & { readonly order: Order }, { snapshot, kindOf, budget }: SortContext): MaybePromise<Links> {
  const { order, after, page, fields, ...rest } = request;
  return andThen(snapshot.follow({ ...rest, fields: withKeys(fields, order) }), (links) => {
    const { starts, nodes } = links;
    return andThen(rowsOf(nodes, { order, keysFrom: fields.length }, budget), (rows) => {
      const sources = Array.from({ length: starts.length - 1 }, (_, source) => source);
      const rowsAt = (source: number) => partnersOf(links, source).flatMap((row) => rows[row] ?? []);
      const sorted = eachInTurns(sources, (source) => pageInTurns(rowsAt(source), { order, after, page, kindOf }, budget), budget);
      return andThen(sorted, (pages) => ({ ...linksOf(pages), nodes: { ...nodes, columns: nodes.columns.slice(0, fields.length) } }));
    });
  });
}

function withKeys(fields: readonly FieldName[], order: Order): readonly FieldName[] {
  return [...fields, ...order.map((key) => key.field)];
}

interface Keys {
  readonly order: Order;
  /** The first column of keys. */
  readonly keysFrom: number;
}

function rowsOf({ uids, columns }: Batch, { order, keysFrom }: Keys, budget: Turns): MaybePromise<readonly Row[]> {
  return mapInTurns(uids, (uid, place) => ({ uid, place, keys: order.map((_, k) => columns[keysFrom + k]?.[place]) }), budget);
}
