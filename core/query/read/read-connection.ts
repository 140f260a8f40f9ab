// Reads pages of lists by cursors. A page begins at a condition on the order's values, not at a number of rows to skip, so that it
// shows what is there all the time exactly once.

import { all, and, not, type Predicate } from "../../contracts/predicate.ts";
import type { Order, Page, Place } from "../../contracts/storage/requests.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { EndName, MaybePromise, Uid } from "../../ground/values/value.ts";
import { afterPlace, beforePlace } from "../evaluate/place.ts";
import type { OrderedRow } from "../evaluate/top.ts";
import type { OperationBudget, ReadContext } from "../operation-context.ts";
import type { SortKey } from "../plan/order-and-page.ts";
import type { Variables } from "../plan/selection.ts";
import type { BoundConnection, BoundLevel } from "./bind.ts";
import { concurrently } from "./concurrently.ts";
import { type CursorList, cursorMark, readCursor } from "./cursor.ts";
import type { OrderingRequest } from "./masked-order.ts";
import { comparatorOf, type RelatedRequest, rankFollowed, rankFound } from "./related-order.ts";

/** One page of one list. */
export interface ListPage {
  readonly rows: readonly OrderedRow[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** Undefined: not asked for. */
  readonly total: number | undefined;
}

/** The pages of several lists that one field shows. */
export interface ConnectionPages {
  readonly list: CursorList;
  /** One for each source; of a root field one. */
  readonly pages: readonly ListPage[];
}

export interface ConnectionPlace {
  /** The nodes whose links are shown; undefined: a root field. */
  readonly from?: { readonly uids: readonly Uid[]; readonly end: EndName };
  readonly ordering: OrderingRequest;
}

/** Undefined for a caller who may see nodes of none of the types: the lists are empty. */
export function readPages(bound: BoundConnection, place: ConnectionPlace, context: ReadContext): MaybePromise<ConnectionPages> {
  const [level] = bound.places;
  if (!level) throw new QuernError("INTERNAL", "A connection was bound without a level.");
  const keys: readonly SortKey[] = level.related ?? level.order.map((by) => ({ path: [], by }));
  const { kindOf } = place.ordering;
  const list: CursorList = {
    mark: cursorMark(`${level.level.target.name} ${keys.map(keyText).join(", ")}`),
    kinds: keys.map(({ by }) => ("field" in by ? kindOf(by.field) : "int")),
  };
  const cut = cutOf(bound.arguments, list);
  const where = and(...bound.places.map((each) => each.where));
  const isHidden = level.types.length === 0 || where.kind === "none";
  const source = sourceOf({ level, where, keys, place, budget: context.budget });
  if (isHidden || source.count === 0) return { list, pages: Array.from({ length: source.count }, () => nothing) };
  const { connection } = bound;
  const asks = { next: connection.asksNext, previous: connection.asksPrevious };
  const isRanked = level.related !== undefined || level.order.some((key) => key.collation !== undefined || level.masks?.has(key.field));
  const isBackwards = cut.last !== undefined && level.order.length > 0;
  const read =
    isRanked || isBackwards
      ? () => rankedPages(source, cut, { keys, kindOf })
      : () => soughtPages(source, cut, { order: level.order, asks, compare: comparatorOf({ keys, kindOf }) });
  const totals = () => (connection.counts ? source.totals() : []);
  // Storage may answer a count from a counter, without reading a node; the budget counts it as one read.
  context.budget.spend(1);
  return andThen(read(), (pages) => andThen(totals(), (counted) => ({ list, pages: pages.map((page, i) => ({ ...page, total: counted[i] })) })));
}

const nothing: ListPage = Object.freeze({ rows: [], hasNext: false, hasPrevious: false, total: 0 });

function keyText({ path, by }: SortKey): string {
  const own = "field" in by ? by.field : `count ${by.count.stored}`;
  return [...path.map(({ stored }) => stored), own, by.direction].join(" ");
}

// ---- the page ---------------------------------------------------------------------------------------------------------

interface Cut {
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly after: OrderedRow | undefined;
  readonly before: OrderedRow | undefined;
}

/** @throws VALUE_INVALID for negative counts, for both at once, and for cursors of other lists */
function cutOf({ first, last, after: from, before: to }: Variables, list: CursorList): Cut {
  if (typeof first === "number" && typeof last === "number")
    throw new QuernError("VALUE_INVALID", 'A page has "first" or "last", not both: "first" counts from its beginning, "last" from its end');
  return {
    first: countOf("first", first),
    last: countOf("last", last),
    after: typeof from === "string" ? readCursor(from, list, "after") : undefined,
    before: typeof to === "string" ? readCursor(to, list, "before") : undefined,
  };
}

/** As in lists of objects, 0 is no limit. */
function countOf(name: string, count: unknown): number | undefined {
  if (typeof count !== "number" || count === 0) return undefined;
  if (count < 0) throw new QuernError("VALUE_INVALID", `"${name}" of a page is ${count}; give 0 or more`);
  return count;
}

// ---- the lists --------------------------------------------------------------------------------------------------------

type ManyRows = readonly (readonly OrderedRow[])[];

/** Which rows of a list to read. */
interface Part {
  /** Rows that also satisfy it. */
  readonly where?: Predicate;
  /** Rows behind a place. */
  readonly after?: Place | undefined;
  readonly page?: Page | undefined;
}

/** Lists that are read together, and how. */
interface Source {
  readonly count: number;
  /** In order. */
  rows(part: Part): MaybePromise<ManyRows>;
  /** All rows, sorted here. */
  ranked(): MaybePromise<ManyRows>;
  totals(): MaybePromise<readonly number[]>;
}

interface SourceRequest {
  readonly level: BoundLevel;
  readonly where: Predicate;
  readonly keys: readonly SortKey[];
  readonly place: ConnectionPlace;
  readonly budget: OperationBudget;
}

function sourceOf(request: SourceRequest): Source {
  return request.place.from ? linkSource(request, request.place.from) : rootSource(request);
}

function relatedOf({ keys, place, budget }: SourceRequest): RelatedRequest {
  const { snapshot, masks, kindOf, related } = place.ordering;
  return { snapshot, masks, kindOf, keys, budget, visible: related?.visible ?? (() => snapshot) };
}

function rootSource(request: SourceRequest): Source {
  const { level, where, place } = request;
  const { snapshot } = place.ordering;
  const { types, order } = level;
  const base = { types, where };
  return {
    count: 1,
    rows: (part) => {
      const found = snapshot.find({ types, ...partOf(part, where), ...orderOf(order), fields: fieldsOf(order) });
      return andThen(found, (batch) => [rowsIn(batch)]);
    },
    ranked: () => andThen(rankFound(base, relatedOf(request)), (rows) => [rows]),
    totals: () => andThen(snapshot.aggregate({ over: base, measures: [{ kind: "count" }] }), ([row]) => [Number(row?.[0] ?? 0)]),
  };
}

function linkSource(request: SourceRequest, { uids: from, end }: NonNullable<ConnectionPlace["from"]>): Source {
  const { level, where, place } = request;
  const { snapshot } = place.ordering;
  const { types, order } = level;
  const base = { from, end, types, where };
  return {
    count: from.length,
    rows: (part) => {
      const links = snapshot.follow({ ...base, ...partOf(part, where), ...orderOf(order), fields: fieldsOf(order) });
      return andThen(links, ({ starts, rows, nodes }) => {
        const all = rowsIn(nodes);
        return from.map((_, i) => rows.slice(starts[i], starts[i + 1]).flatMap((row) => all[row] ?? []));
      });
    },
    ranked: () => rankFollowed(base, relatedOf(request)),
    totals: () => andThen(snapshot.aggregate({ over: base, measures: [{ kind: "count" }] }), (rows) => from.map((_, i) => Number(rows[i]?.[0] ?? 0))),
  };
}

function partOf({ where: also = all, after, page }: Part, where: Predicate) {
  return { where: and(where, also), ...(after ? { after } : {}), ...(page ? { page } : {}) };
}

function orderOf(order: Order) {
  return order.length > 0 ? { order } : {};
}

function fieldsOf(order: Order): readonly string[] {
  return order.map(({ field }) => field);
}

function rowsIn({ uids, columns }: Batch): readonly OrderedRow[] {
  return uids.map((uid, row) => ({ uid, keys: columns.map((column) => column[row]) }));
}

// ---- two ways ---------------------------------------------------------------------------------------------------------

interface Seeking {
  readonly order: Order;
  readonly compare: (a: OrderedRow, b: OrderedRow) => number;
  readonly asks: { readonly next: boolean; readonly previous: boolean };
}

/** One more row than the page shows says whether there is another page; it is read when that is asked. What lies beyond the given cursor is only looked for when it is asked. */
function soughtPages(source: Source, cut: Cut, { order, asks, compare }: Seeking): MaybePromise<readonly ListPage[]> {
  const { first, last, after } = cut;
  // Without an order a place is a bound of uids, as a condition also where a page counts from the end.
  const beyond: Part = order.length > 0 ? { after } : { where: after ? afterPlace(order, after) : all };
  const ahead = cut.before ? beforePlace(order, cut.before) : all;
  const page =
    first !== undefined ? { first: withOneMore(first, asks.next) } : last !== undefined ? { last: withOneMore(last, asks.previous) } : undefined;
  const firstRows = (where: Predicate, holds: (row: OrderedRow) => boolean): MaybePromise<readonly boolean[]> =>
    andThen(source.rows({ where, page: { first: 1 } }), (lists) => lists.map(([row]) => row !== undefined && holds(row)));
  const asked = [
    () => (asks.next && cut.before ? firstRows(not(ahead), () => true) : []),
    // A list has a row up to the cursor if its first row is one.
    () => (asks.previous && after ? firstRows(all, (row) => compare(row, after) <= 0) : []),
  ];
  return andThen(source.rows({ ...beyond, where: and(beyond.where ?? all, ahead), page }), (lists) =>
    andThen(concurrently(asked), ([next = [], previous = []]) =>
      lists.map((rows, i): ListPage => {
        const shown = first !== undefined ? rows.slice(0, first) : last !== undefined ? rows.slice(Math.max(0, rows.length - last)) : rows;
        const isMore = shown.length < rows.length;
        return {
          rows: shown,
          hasNext: (first !== undefined && isMore) || (next[i] ?? false),
          hasPrevious: (last !== undefined && isMore) || (previous[i] ?? false),
          total: undefined,
        };
      }),
    ),
  );
}

function withOneMore(rows: number, isAsked: boolean): number {
  return isAsked ? rows + 1 : rows;
}

/** From all rows in order: for keys that storage does not compare, and for pages that count from the end. */
function rankedPages(source: Source, cut: Cut, request: Pick<RelatedRequest, "keys" | "kindOf">): MaybePromise<readonly ListPage[]> {
  const compare = comparatorOf(request);
  return andThen(source.ranked(), (lists) =>
    lists.map((rows): ListPage => {
      const { after: from, before: to, first, last } = cut;
      const least = from ? firstPlace(rows, (row) => compare(row, from) > 0) : 0;
      const end = Math.max(least, to ? firstPlace(rows, (row) => compare(row, to) >= 0) : rows.length);
      const start = last === undefined ? least : Math.max(least, end - last);
      const stop = first === undefined ? end : Math.min(end, start + first);
      return { rows: rows.slice(start, stop), hasNext: stop < rows.length, hasPrevious: start > 0, total: undefined };
    }),
  );
}

/** Rows before it do not satisfy `holds`, those from it on do. */
function firstPlace(rows: readonly OrderedRow[], holds: (row: OrderedRow) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row && holds(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}
