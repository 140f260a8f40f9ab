// Walks the entries of an ordered index, or of a list of a compound one, until enough nodes are found.

import type { Uid, Work } from "../../../core/storage.ts";
import type { OrderedView } from "../structures/ordered-view.ts";
import type { SortKey } from "../structures/sort-keys.ts";
import type { Test } from "./clause.ts";
import { sorted } from "./order-by-record.ts";
import type { Reader } from "./reader.ts";
import type { Wanted } from "./sort-rows.ts";
import { portionsOf, runsOf, spansOf, spansOfRun } from "./walk-spans.ts";
import type { WalkStart } from "./walk-start.ts";

export interface EntryWalk extends Wanted {
  readonly entries: OrderedView;
  readonly start: WalkStart;
  /** Whether a node is wanted. */
  readonly test: Test;
  /** The walk ends at the first key behind the start that fails; undefined: at the last entry. */
  readonly isWithin?: ((key: SortKey) => boolean) | undefined;
  /** The number of entries to visit before the walk is given up. */
  readonly limit: number;
}

/** The first nodes in the order of the entries; undefined: the walk was given up. */
export function* walkEntries(reader: Reader, walk: EntryWalk): Work<Uid[] | undefined> {
  return yield* walk.order.length === 1 ? walkSpans(reader, walk) : walkRuns(reader, walk);
}

/** With a single key, rows of one value are in uid order already: the walk may end inside a run. */
function* walkSpans(reader: Reader, { order, wanted, entries, limit, start, test, isWithin }: EntryWalk): Work<Uid[] | undefined> {
  const found: Uid[] = [];
  let isOver = false;
  const visit = (uid: Uid, key: SortKey): boolean => {
    if (isWithin !== undefined && !isWithin(key)) {
      isOver = true;
      return false;
    }
    if (test(uid)) found.push(uid);
    return found.length < wanted;
  };
  let visited = 0;
  for (const span of spansOf(entries, { start, isDown: order[0]?.direction === "desc" })) {
    for (const { from, to, isDown } of portionsOf(entries, span)) {
      const count = isDown ? entries.backward(from, to, visit) : entries.forward(from, to, visit);
      visited += count;
      yield* reader.spend(count);
      if (isOver || found.length >= wanted) return found;
      if (visited > limit) return undefined;
    }
  }
  return found;
}

/** With several keys, the rows of one value are sorted by the others. */
function* walkRuns(reader: Reader, { order, after, wanted, entries, limit, start, test, isWithin }: EntryWalk): Work<Uid[] | undefined> {
  const found: Uid[] = [];
  let visited = 0;
  let isOver = false;
  // The first run may hold nodes on both sides of the place; all others are behind it.
  let tied = after;
  for (const run of runsOf(entries, { start, isDown: order[0]?.direction === "desc" })) {
    const matches: Uid[] = [];
    const visit = (uid: Uid, key: SortKey): boolean => {
      if (isWithin !== undefined && !isWithin(key)) {
        isOver = true;
        return false;
      }
      if (test(uid)) matches.push(uid);
      return true;
    };
    for (const span of spansOfRun(entries, run)) {
      for (const { from, to } of portionsOf(entries, span)) {
        const count = entries.forward(from, to, visit);
        visited += count;
        yield* reader.spend(count);
      }
    }
    for (const uid of yield* sortByRest(reader, matches, { order, after: tied })) found.push(uid);
    tied = undefined;
    if (isOver || found.length >= wanted) return found;
    if (visited > limit) return undefined;
  }
  return found;
}

export function* sortByRest(reader: Reader, uids: readonly Uid[], { order, after }: Omit<Wanted, "wanted">): Work<readonly Uid[]> {
  if (uids.length < 2 && after === undefined) return uids;
  yield* reader.prefetch(uids);
  return yield* sorted(reader, uids, { order, after, wanted: uids.length });
}
