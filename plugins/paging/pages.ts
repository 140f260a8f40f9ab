// Reads pages of lists by cursors. A page begins at a condition on the order's values, not at a number of rows to skip, so that it
// shows what is there all the time exactly once.

import { type NodeLists, type Place, QuernError, type Variables, type Work } from "../../core/plugin.ts";
import { type CursorList, readCursor } from "./cursor.ts";

/** One page of one list. */
export interface ListPage {
  readonly rows: readonly Place[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export const noPage: ListPage = Object.freeze({ rows: [], hasNext: false, hasPrevious: false });

/** Where a page begins and ends. */
export interface Cut {
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly after: Place | undefined;
  readonly before: Place | undefined;
}

/** @throws VALUE_INVALID for negative counts, for both at once, and for cursors of other lists */
export function cutOf({ first, last, after: from, before: to }: Variables, list: CursorList): Cut {
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

/** What lies beyond the page, and is only looked for when it is asked. */
export interface Asks {
  readonly next: boolean;
  readonly previous: boolean;
}

/** One page for each list. */
export function readPages(lists: NodeLists, cut: Cut, asks: Asks): Work<readonly ListPage[]> {
  const isBackwards = cut.last !== undefined && lists.isOrdered;
  return lists.isRanked || isBackwards ? rankedPages(lists, cut) : soughtPages(lists, cut, asks);
}

/** One more row than the page shows says whether there is another page; it is read when that is asked. */
function* soughtPages(lists: NodeLists, cut: Cut, asks: Asks): Work<readonly ListPage[]> {
  const { first, last, after, before } = cut;
  const page = first !== undefined ? { first: first + Number(asks.next) } : last !== undefined ? { last: last + Number(asks.previous) } : undefined;
  const found = yield* lists.rows({ after, before, page });
  const next = asks.next && before ? yield* firstRows(lists, { outside: before }) : [];
  // A list has a row up to the cursor if its first row is one.
  const previous = asks.previous && after ? yield* firstRows(lists, {}) : [];
  return found.map((rows, i): ListPage => {
    const shown = first !== undefined ? rows.slice(0, first) : last !== undefined ? rows.slice(Math.max(0, rows.length - last)) : rows;
    const isMore = shown.length < rows.length;
    const least = previous[i];
    return {
      rows: shown,
      hasNext: (first !== undefined && isMore) || next[i] !== undefined,
      hasPrevious: (last !== undefined && isMore) || (least !== undefined && after !== undefined && lists.compare(least, after) <= 0),
    };
  });
}

function* firstRows(lists: NodeLists, part: { readonly outside?: Place }): Work<readonly (Place | undefined)[]> {
  return (yield* lists.rows({ ...part, page: { first: 1 } })).map(([row]) => row);
}

/** From all rows in order: for keys that storage does not compare, and for pages that count from the end. */
function* rankedPages(lists: NodeLists, { after: from, before: to, first, last }: Cut): Work<readonly ListPage[]> {
  const { compare } = lists;
  const ranked = yield* lists.ranked();
  return ranked.map((rows): ListPage => {
    const least = from ? firstPlace(rows, (row) => compare(row, from) > 0) : 0;
    const end = Math.max(least, to ? firstPlace(rows, (row) => compare(row, to) >= 0) : rows.length);
    const start = last === undefined ? least : Math.max(least, end - last);
    const stop = first === undefined ? end : Math.min(end, start + first);
    return { rows: rows.slice(start, stop), hasNext: stop < rows.length, hasPrevious: start > 0 };
  });
}

/** Rows before it do not satisfy `holds`, those from it on do. */
function firstPlace(rows: readonly Place[], holds: (row: Place) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row && holds(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}
