// Order by a compound index: the conditions give its leading fields one value each, or one of a few, and the order is that of its last field. The first
// page of a group then costs what its rows cost, however many nodes the group and the type have; that of several groups costs a page of each.

import type { Predicate, TypeName, Uid, Work } from "../../../core/storage.ts";
import { planCandidates } from "./candidates.ts";
import { type Clause, ofStream } from "./clause.ts";
import { conjuncts } from "./clauses.ts";
import { chooseDriver } from "./combined.ts";
import { type CompoundList, type CompoundMatch, coversIndex } from "./compound.ts";
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
  /** In the lists of the match. */
  readonly start: WalkStart;
  /** Of the whole request. */
  readonly where: Predicate | undefined;
}

/** Longer pages of several lists are sorted as the nodes of any other condition are. */
const longestMerged = 1_000;

/** @returns undefined when another way is quicker, or when the walk has found too few for what it was promised to cost */
export function* walkCompound(reader: Reader, walk: CompoundWalk): Work<readonly Uid[] | undefined> {
  const { lists } = walk.match;
  const span = spanOf(walk.match);
  if (span === undefined || (lists.length > 1 && walk.wanted > longestMerged)) return undefined;
  const others = othersOf(reader, walk);
  const limit = others.clauses.length === 0 ? Number.POSITIVE_INFINITY : yield* limitOf(reader, walk, others);
  if (limit === undefined) return undefined;
  const found: Uid[] = [];
  for (const list of lists) {
    const some = yield* walkList(reader, walk, { list, span, others, limit });
    if (some === undefined) return undefined;
    for (const uid of some) found.push(uid);
  }
  return lists.length === 1 ? found : yield* sortByRest(reader, found, { order: walk.order, after: undefined });
}

interface ListWalk {
  readonly list: CompoundList;
  readonly span: KeySpan;
  readonly others: Others;
  readonly limit: number;
}

/** The first nodes of one list. */
function* walkList(reader: Reader, walk: CompoundWalk, { list, span, others, limit }: ListWalk): Work<readonly Uid[] | undefined> {
  const { match, order, after, wanted, start } = walk;
  const found = yield* walkEntries(reader, {
    order,
    after,
    wanted,
    start,
    limit,
    entries: list.valued,
    test: membership(others.clauses, others.after, match.index.types),
    isWithin: span === wholeList ? undefined : (key) => isInSpan(span, key),
  });
  if (found === undefined || found.length >= wanted || span !== wholeList) return found;
  return [...found, ...(yield* missingOf(reader, walk, { list, others, wanted: wanted - found.length }))];
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
  const total = walk.match.lists.reduce((sum, { valued }) => sum + entriesFrom(valued, walk), 0);
  const matches = Math.min(driven.stream.count, total);
  return walkLimit({ total, matches, wanted: walk.wanted, clauses, otherwise: scanCost(driven, matches), advantage: 1 });
}

interface MissingWalk {
  readonly list: CompoundList;
  readonly others: Others;
  readonly wanted: number;
}

/** Nodes without a value come last, sorted by uid or by the remaining keys. */
function* missingOf(reader: Reader, { match, order, after }: CompoundWalk, { list, others, wanted }: MissingWalk): Work<readonly Uid[]> {
  const place = after !== undefined && after.keys[0] === undefined ? after : undefined;
  const driven = yield* chooseDriver([ofStream(list.missing, match.index.types), ...others.clauses]);
  if (order.length === 1) return yield* gather(reader, driven, { limit: wanted, after: Math.max(others.after, place?.uid ?? 0) });
  const all = yield* gather(reader, driven, { limit: Number.POSITIVE_INFINITY, after: others.after });
  return yield* sortByRest(reader, all, { order, after: place });
}
