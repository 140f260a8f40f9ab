// Lists of nodes in an order that is total, one for each parent, for kinds of lists that read parts of them.

import type { ListPart, NodeLists, StepParents } from "../../contracts/plugin/level-step.ts";
import { all, and, not, type Predicate } from "../../contracts/predicate.ts";
import type { Order, Page, Place } from "../../contracts/storage/requests.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import type { EndName, Uid } from "../../ground/values/value.ts";
import { wait } from "../../ground/work.ts";
import type { OrderingRequest } from "../access/masked-order.ts";
import { comparatorOf, type RelatedRequest, rankFollowed, rankFound } from "../access/related-order.ts";
import { afterPlace, beforePlace } from "../evaluate/place.ts";
import type { BoundLevel } from "../level/level.ts";
import type { SortKey } from "../level/sort-key.ts";

export interface NodeListsRequest {
  /** The nodes pass in all of them. The first one decides types and order. */
  readonly levels: readonly [BoundLevel, ...BoundLevel[]];
  readonly parents: StepParents;
  readonly ordering: OrderingRequest;
}

export function nodeLists(request: NodeListsRequest): NodeLists {
  const { levels, parents, ordering } = request;
  const [first] = levels;
  const keys: readonly SortKey[] = first.related ?? first.order.map((by) => ({ path: [], by }));
  const where = and(...levels.map((each) => each.where));
  const listing: Listing = { first, where, keys, request };
  const reads = parents.from && parents.end !== undefined ? linkLists(listing, parents.from, parents.end) : rootList(listing);
  return {
    count: parents.from?.length ?? 1,
    isEmpty: first.types.length === 0 || where.kind === "none",
    name: `${first.level.target.name} ${keys.map(keyText).join(", ")}`,
    kinds: keys.map(({ by }) => ("field" in by ? ordering.kindOf(by.field) : "int")),
    isRanked: first.related !== undefined || first.order.some((key) => key.collation !== undefined || first.masks?.has(key.field)),
    isOrdered: first.order.length > 0,
    compare: comparatorOf({ keys, kindOf: ordering.kindOf }),
    ...reads,
  };
}

function keyText({ path, by }: SortKey): string {
  const own = "field" in by ? by.field : `count ${by.count.stored}`;
  return [...path.map(({ stored }) => stored), own, by.direction].join(" ");
}

type Reads = Pick<NodeLists, "rows" | "ranked" | "totals">;

interface Listing {
  readonly first: BoundLevel;
  readonly where: Predicate;
  readonly keys: readonly SortKey[];
  readonly request: NodeListsRequest;
}

function relatedOf({ keys, request: { ordering } }: Listing): RelatedRequest {
  const { snapshot, masks, kindOf, related } = ordering;
  return { snapshot, masks, kindOf, keys, visible: related?.visible ?? (() => snapshot) };
}

function rootList(listing: Listing): Reads {
  const { first, where, request } = listing;
  const { snapshot } = request.ordering;
  const { types, order } = first;
  const base = { types, where };
  return {
    *rows(part) {
      const found = snapshot.find({ types, ...partOf(part, order, where), ...orderOf(order), fields: fieldsOf(order) });
      return [rowsIn(yield* wait(found))];
    },
    *ranked() {
      return [yield* rankFound(base, relatedOf(listing))];
    },
    *totals() {
      const [row] = yield* wait(snapshot.aggregate({ over: base, measures: [{ kind: "count" }] }));
      return [Number(row?.[0] ?? 0)];
    },
  };
}

function linkLists(listing: Listing, from: readonly Uid[], end: EndName): Reads {
  const { first, where, request } = listing;
  const { snapshot } = request.ordering;
  const { types, order } = first;
  const base = { from, end, types, where };
  return {
    *rows(part) {
      const read = { ...base, ...partOf(part, order, where), ...orderOf(order), fields: fieldsOf(order) };
      const { starts, rows, nodes } = yield* wait(snapshot.follow(read));
      const places = rowsIn(nodes);
      return from.map((_, i) => rows.slice(starts[i], starts[i + 1]).flatMap((row) => places[row] ?? []));
    },
    ranked: () => rankFollowed(base, relatedOf(listing)),
    *totals() {
      const rows = yield* wait(snapshot.aggregate({ over: base, measures: [{ kind: "count" }] }));
      return from.map((_, i) => Number(rows[i]?.[0] ?? 0));
    },
  };
}

/** Without an order a place is a bound of uids, as a condition also where a page counts from the end. */
function partOf({ after, before, outside, page }: ListPart, order: Order, where: Predicate): Reading {
  const behind = after && order.length === 0 ? afterPlace(order, after) : all;
  const ahead = before ? beforePlace(order, before) : all;
  const rest = outside ? not(beforePlace(order, outside)) : all;
  return { where: and(where, behind, ahead, rest), ...(after && order.length > 0 && { after }), ...(page && { page }) };
}

interface Reading {
  readonly where: Predicate;
  readonly after?: Place;
  readonly page?: Page;
}

function orderOf(order: Order) {
  return order.length > 0 ? { order } : {};
}

function fieldsOf(order: Order): readonly string[] {
  return order.map(({ field }) => field);
}

function rowsIn({ uids, columns }: Batch): readonly Place[] {
  return uids.map((uid, row) => ({ uid, keys: columns.map((column) => column[row]) }));
}
