// Walks the entries of an ordered index, or of a list of a compound one, until enough nodes are found.

import type { Uid, Work } from "../../../core/storage.ts";
import type { Entry } from "../structures/index-blocks.ts";
import type { OrderedView } from "../structures/ordered-view.ts";
import type { SortKey } from "../structures/sort-keys.ts";
import type { Test } from "./clause.ts";
import { sorted } from "./order-by-record.ts";
import type { Reader } from "./reader.ts";
import type { Wanted } from "./sort-rows.ts";
import { portionsOf, runsOf, type Span, spansOf, spansOfRun } from "./walk-spans.ts";
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
  const visit: Visitor["visit"] = (uid, key, holds = test) => {
    if (isWithin !== undefined && !isWithin(key)) {
      isOver = true;
      return false;
    }
    if (holds(uid)) found.push(uid);
    return found.length < wanted;
  };
  let visited = 0;
  for (const span of spansOf(entries, { start, isDown: order[0]?.direction === "desc" })) {
    for (const { from, to, isDown } of portionsOf(entries, span)) {
      const count = yield* visitPortion(entries, { from, to, isDown }, { visit, test, isWithin });
      visited += count;
      yield* reader.spend(count);
      if (isOver || found.length >= wanted) return found;
      if (visited > limit) return undefined;
    }
  }
  return found;
}

interface Visitor extends Pick<EntryWalk, "test" | "isWithin"> {
  /** False ends the walk. @param holds by default the test */
  readonly visit: (uid: Uid, key: SortKey, holds?: Test) => boolean;
}

/** @returns how many entries were visited */
function* visitPortion(entries: OrderedView, { from, to, isDown }: Span, { visit, test, isWithin }: Visitor): Work<number> {
  const { inTurns } = test;
  const each = (take: (uid: Uid, key: SortKey) => boolean) => (isDown ? entries.backward(from, to, take) : entries.forward(from, to, take));
  if (inTurns === undefined) return each(visit);
  const portion: Entry[] = [];
  each((uid, key) => portion.push({ uid, key }) > 0);
  for (const [i, { uid, key }] of portion.entries()) {
    const answer = (isWithin === undefined || isWithin(key)) && inTurns(uid);
    const holds = typeof answer === "boolean" ? answer : yield* answer;
    if (!visit(uid, key, () => holds)) return i + 1;
  }
  return portion.length;
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
    const visit: Visitor["visit"] = (uid, key, holds = test) => {
      if (isWithin !== undefined && !isWithin(key)) {
        isOver = true;
        return false;
      }
      if (holds(uid)) matches.push(uid);
      return true;
    };
    for (const span of spansOfRun(entries, run)) {
      for (const { from, to } of portionsOf(entries, span)) {
        const count = yield* visitPortion(entries, { from, to, isDown: false }, { visit, test, isWithin });
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
