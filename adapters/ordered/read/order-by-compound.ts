// Order by a compound index: the conditions give its leading fields one value each, and the order is that of its last field. The first page of a group
// then costs what its rows cost, however many nodes the group and the type have.

import type { Predicate, TypeName, Uid, Work } from "../../../core/storage.ts";
import { planCandidates } from "./candidates.ts";
import { type Clause, ofStream } from "./clause.ts";
import { conjuncts } from "./clauses.ts";
import { chooseDriver } from "./combined.ts";
import { type CompoundMatch, coversIndex } from "./compound.ts";
import { isInSpan, type KeySpan, spansOf, wholeList } from "./key-spans.ts";
import { ofTypes } from "./of-types.ts";
import { entriesFrom, membership, scanCost, walkLimit } from "./order-by-index.ts";
import type { Reader } from "./reader.ts";
import { gather } from "./scan.ts";
import type { Wanted } from "./sort-rows.ts";
import { sortByRest, walkEntries } from "./walk-entries.ts";
import type { WalkStart } from "./walk-start.ts";

interface CompoundWalk extends Wanted {
  readonly types: readonly TypeName[];
  readonly match: CompoundMatch;
  /** In the list of the match. */
  readonly start: WalkStart;
  /** Of the whole request. */
  readonly where: Predicate | undefined;
}

/** @returns undefined when another way is quicker, or when the walk has found too few for what it was promised to cost */
export function* walkCompound(reader: Reader, walk: CompoundWalk): Work<Uid[] | undefined> {
  const { match, order, after, wanted, start } = walk;
  const span = spanOf(match);
  if (span === undefined) return undefined;
  const others = othersOf(reader, walk);
  const limit = others.clauses.length === 0 ? Number.POSITIVE_INFINITY : yield* limitOf(reader, walk, others);
  if (limit === undefined) return undefined;
  const found = yield* walkEntries(reader, {
    order,
    after,
    wanted,
    start,
    limit,
    entries: match.valued,
    test: membership(others.clauses, others.after, match.index.types),
    isWithin: span === wholeList ? undefined : (key) => isInSpan(span, key),
  });
  if (found === undefined || found.length >= wanted || span !== wholeList) return found;
  return [...found, ...(yield* missingOf(reader, walk, others, wanted - found.length))];
}

/** The entries that satisfy the conditions on the last field; undefined: they do not lie side by side. */
function spanOf({ index, ranges: [range] }: CompoundMatch): KeySpan | undefined {
  if (range === undefined) return wholeList;
  const [span, more] = spansOf(index.field, range);
  return more === undefined ? span : undefined;
}

/** What nodes of the list must satisfy besides. */
interface Others {
  readonly clauses: readonly Clause[];
  /** Only nodes above it. */
  readonly after: Uid;
}

function othersOf(reader: Reader, { match, types }: CompoundWalk): Others {
  const parts = [...match.rest, ...match.ranges.slice(1)];
  const after = parts.reduce((bound, part) => (part.kind === "after" ? Math.max(bound, part.uid) : bound), 0);
  const tested = conjuncts(
    reader,
    parts.filter(({ kind }) => kind !== "after"),
  );
  return { clauses: coversIndex(match.index, types) ? tested : [...tested, ofTypes(reader, types)], after };
}

function* limitOf(reader: Reader, walk: CompoundWalk, { clauses }: Others): Work<number | undefined> {
  const { driven } = yield* planCandidates(reader, walk.types, walk.where);
  const total = entriesFrom(walk.match.valued, walk);
  const matches = Math.min(driven.stream.count, total);
  return walkLimit({ total, matches, wanted: walk.wanted, clauses, otherwise: scanCost(driven, matches), advantage: 1 });
}

/** Nodes without a value come last, sorted by uid or by the remaining keys. */
function* missingOf(reader: Reader, { match, order, after }: CompoundWalk, others: Others, wanted: number): Work<readonly Uid[]> {
  const place = after !== undefined && after.keys[0] === undefined ? after : undefined;
  const driven = yield* chooseDriver([ofStream(match.missing, match.index.types), ...others.clauses]);
  if (order.length === 1) return yield* gather(reader, driven, { limit: wanted, after: Math.max(others.after, place?.uid ?? 0) });
  const all = yield* gather(reader, driven, { limit: Number.POSITIVE_INFINITY, after: others.after });
  return yield* sortByRest(reader, all, { order, after: place });
}
