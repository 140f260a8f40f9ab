// Orders by fields that a caller may not see everywhere: where one is hidden it counts as missing, so that no place in a list
// discloses its value. The nodes are read in parts, those that show the field and those that do not, each cut by storage as ever.

import { and, not, type Predicate } from "../../contracts/predicate.ts";
import type { FindRequest, FollowRequest, Order } from "../../contracts/storage/requests.ts";
import type { Batch, Links } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import type { MaybePromise, ValueKind } from "../../ground/values/value.ts";
import { run, type Turns, together, type Work, wait } from "../../ground/work.ts";
import type { OrderedRow } from "../evaluate/top.ts";
import type { Masks } from "../level/masks.ts";
import { batchOf, joinedBatch } from "../sorting/batch-rows.ts";
import { linksOf, partnersOf } from "../sorting/links-of.ts";
import { concatenated, mapped } from "../sorting/mapped.ts";
import { pageOfRows } from "../sorting/page-of-rows.ts";
import { findRelated, followRelated, type RelatedOrder } from "./related-order.ts";

export interface OrderingRequest {
  readonly snapshot: Snapshot;
  readonly masks: Masks | undefined;
  readonly kindOf: (field: string) => ValueKind;
  readonly budget: Turns;
  /** Keys behind links, which take the place of the request's order. */
  readonly related?: RelatedOrder | undefined;
}

/** Each doubles the parts. */
const maxMaskedKeys = 4;

interface Part {
  readonly where: Predicate;
  readonly order: Order;
  /** Places in the whole order of the keys that are hidden in this part. */
  readonly hidden: ReadonlySet<number>;
}

export function findOrdered(request: FindRequest, ordering: OrderingRequest): MaybePromise<Batch> {
  const { snapshot, masks, kindOf, related, budget } = ordering;
  if (related) return run(findRelated(request, { snapshot, masks, kindOf, ...related }), budget);
  const parts = partsOf(request.order ?? [], masks);
  return parts ? run(findInParts(request, parts, ordering), budget) : snapshot.find(request);
}

function* findInParts(request: FindRequest, parts: readonly Part[], { snapshot, kindOf }: OrderingRequest): Work<Batch> {
  const { order = [], after, page, fields, ...rest } = request;
  const batches = yield* together(parts.map((part) => wait(snapshot.find({ ...rest, ...within(part, request, order) }))));
  const rows = yield* rowsOf(batches, parts, { order, keysFrom: fields.length });
  return yield* batchOf(joinedBatch(batches, fields.length), yield* pageOfRows(rows, { order, after, page, kindOf }), fields.length);
}

export function followOrdered(request: FollowRequest, ordering: OrderingRequest): MaybePromise<Links> {
  const { snapshot, masks, kindOf, related, budget } = ordering;
  if (related) return run(followRelated(request, { snapshot, masks, kindOf, ...related }), budget);
  const parts = partsOf(request.order ?? [], masks);
  return parts ? run(followInParts(request, parts, ordering), budget) : snapshot.follow(request);
}

function* followInParts(request: FollowRequest, parts: readonly Part[], { snapshot, kindOf }: OrderingRequest): Work<Links> {
  const { order = [], after, page, fields, ...rest } = request;
  const followed = yield* together(parts.map((part) => wait(snapshot.follow({ ...rest, ...within(part, request, order) }))));
  const batches = followed.map(({ nodes }) => nodes);
  const before = offsetsOf(batches);
  const rows = yield* rowsOf(batches, parts, { order, keysFrom: fields.length });
  const pages: (readonly Row[])[] = [];
  for (let source = 0; source < request.from.length; source++) {
    yield;
    const partners = followed.flatMap((links, p) => partnersOf(links, source).flatMap((row) => rows[row + (before[p] ?? 0)] ?? []));
    pages.push(yield* pageOfRows(partners, { order, after, page, kindOf }));
  }
  return { ...linksOf(pages), nodes: joinedBatch(batches, fields.length) };
}

/** Undefined: no key of the order is hidden from anybody. No node is in two parts. */
function partsOf(order: Order, masks: Masks | undefined): readonly Part[] | undefined {
  const masked = masks ? order.filter((key) => masks.has(key.field)) : [];
  if (!masks || masked.length === 0) return undefined;
  if (masked.length > maxMaskedKeys) {
    throw new QuernError(
      "VALUE_INVALID",
      `An order names at most ${maxMaskedKeys} fields that have rules of their own, here it names ${masked.length}`,
    );
  }
  let parts: readonly Part[] = [{ where: { kind: "all" }, order, hidden: new Set() }];
  for (const [place, key] of order.entries()) {
    const mask = masks.get(key.field);
    if (!mask) continue;
    const seen = and(mask.visible, { kind: "has", field: key.field });
    parts = parts.flatMap((part) => [
      ...(seen.kind === "none" ? [] : [{ ...part, where: and(part.where, seen) }]),
      { where: and(part.where, not(seen)), order: part.order.filter((each) => each !== key), hidden: new Set([...part.hidden, place]) },
    ]);
  }
  return parts;
}

/**
 * What a part reads: as many rows as the whole could show, each with its keys. It takes the place of the request's own order and page:
 * a key that is hidden in this part must not decide which of its rows come first.
 */
function within(part: Part, { where, after, page, fields }: Pick<FindRequest, "where" | "after" | "page" | "fields">, order: Order) {
  const shown =
    after === undefined && page && "first" in page && page.first !== undefined ? { page: { first: page.first + (page.offset ?? 0) } } : {};
  return {
    where: and(where ?? { kind: "all" }, part.where),
    fields: [...fields, ...order.map((key) => key.field)],
    ...(part.order.length > 0 ? { order: part.order } : {}),
    ...shown,
  };
}

interface Row extends OrderedRow {
  readonly place: number;
}

interface Keys {
  readonly order: Order;
  /** The first column of keys. */
  readonly keysFrom: number;
}

function* rowsOf(batches: readonly Batch[], parts: readonly Part[], { order, keysFrom }: Keys): Work<readonly Row[]> {
  const before = offsetsOf(batches);
  const rows: (readonly Row[])[] = [];
  for (const [p, { uids, columns }] of batches.entries()) {
    const keysAt = (i: number) => order.map((_, k) => (parts[p]?.hidden.has(k) ? undefined : columns[keysFrom + k]?.[i]));
    rows.push(yield* mapped(uids, (uid, i) => ({ uid, place: (before[p] ?? 0) + i, keys: keysAt(i) })));
  }
  return concatenated(rows);
}

function offsetsOf(batches: readonly Batch[]): readonly number[] {
  let before = 0;
  return batches.map(({ uids }) => {
    const own = before;
    before += uids.length;
    return own;
  });
}
