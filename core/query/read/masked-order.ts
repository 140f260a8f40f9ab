// Orders by fields that a caller may not see everywhere: where one is hidden it counts as missing, so that no place in a list
// discloses its value. The nodes are read in parts, those that show the field and those that do not, each cut by storage as ever.

import { and, not, type Predicate } from "../../contracts/predicate.ts";
import type { FindRequest, FollowRequest, Order } from "../../contracts/storage/requests.ts";
import type { Batch, Links } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise, ValueKind } from "../../ground/values/value.ts";
import type { Turns } from "../../ground/work.ts";
import type { OrderedRow } from "../evaluate/top.ts";
import { concurrently } from "../level/concurrently.ts";
import type { Masks } from "../level/masks.ts";
import { batchOf, joinedBatch } from "./batch-rows.ts";
import { concatenated, eachInTurns, mapInTurns } from "./each-in-turns.ts";
import { linksOf, partnersOf } from "./links-of.ts";
import { findRelated, followRelated, type RelatedOrder } from "./related-order.ts";
import { pageInTurns } from "./top-in-turns.ts";

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

export function findOrdered(request: FindRequest, { snapshot, masks, kindOf, related, budget }: OrderingRequest): MaybePromise<Batch> {
  if (related) return findRelated(request, { snapshot, masks, kindOf, ...related });
  const parts = partsOf(request.order ?? [], masks);
  if (!parts) return snapshot.find(request);
  const { order = [], after, page, ...rest } = request;
  const asked = parts.map((part) => () => snapshot.find({ ...rest, ...within(part, request, order) }));
  return andThen(concurrently(asked), (batches) => {
    const nodes = joinedBatch(batches, request.fields.length);
    return andThen(rowsOf(batches, parts, { order, keysFrom: request.fields.length, budget }), (rows) =>
      andThen(pageInTurns(rows, { order, after, page, kindOf }, budget), (shown) => batchOf(nodes, shown, request.fields.length, budget)),
    );
  });
}

export function followOrdered(request: FollowRequest, { snapshot, masks, kindOf, related, budget }: OrderingRequest): MaybePromise<Links> {
  if (related) return followRelated(request, { snapshot, masks, kindOf, ...related });
  const parts = partsOf(request.order ?? [], masks);
  if (!parts) return snapshot.follow(request);
  const { order = [], after, page, ...rest } = request;
  const asked = parts.map((part) => () => snapshot.follow({ ...rest, ...within(part, request, order) }));
  return andThen(concurrently(asked), (followed) => {
    const batches = followed.map(({ nodes }) => nodes);
    const before = offsetsOf(batches);
    return andThen(rowsOf(batches, parts, { order, keysFrom: request.fields.length, budget }), (rows) => {
      const partnersAt = (source: number) =>
        followed.flatMap((links, p) => partnersOf(links, source).flatMap((row) => rows[row + (before[p] ?? 0)] ?? []));
      const sources = Array.from({ length: request.from.length }, (_, source) => source);
      const shown = eachInTurns(sources, (source) => pageInTurns(partnersAt(source), { order, after, page, kindOf }, budget), budget);
      return andThen(shown, (pages) => ({ ...linksOf(pages), nodes: joinedBatch(batches, request.fields.length) }));
    });
  });
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
  readonly budget: Turns;
}

function rowsOf(batches: readonly Batch[], parts: readonly Part[], { order, keysFrom, budget }: Keys): MaybePromise<readonly Row[]> {
  const before = offsetsOf(batches);
  const ofPart = ([p, { uids, columns }]: readonly [number, Batch]) => {
    const keysAt = (i: number) => order.map((_, k) => (parts[p]?.hidden.has(k) ? undefined : columns[keysFrom + k]?.[i]));
    return mapInTurns(uids, (uid, i) => ({ uid, place: (before[p] ?? 0) + i, keys: keysAt(i) }), budget);
  };
  return andThen(eachInTurns(batches.entries(), ofPart, budget), concatenated);
}

function offsetsOf(batches: readonly Batch[]): readonly number[] {
  let before = 0;
  return batches.map(({ uids }) => {
    const own = before;
    before += uids.length;
    return own;
  });
}
