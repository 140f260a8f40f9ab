// Order by an ordered index: its entries are visited in order, until enough of them are candidates.

import type { Uid, Work } from "../../../core/storage.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import { chunkOf } from "../structures/column.ts";
import type { OrderedView } from "../structures/ordered-view.ts";
import type { Candidates } from "./candidates.ts";
import type { Test } from "./clause.ts";
import { sorted } from "./order-by-record.ts";
import type { Reader } from "./reader.ts";
import { gather } from "./scan.ts";
import type { Wanted } from "./sort-rows.ts";
import { runsOf, spansOf, spansOfRun } from "./walk-spans.ts";
import type { WalkStart } from "./walk-start.ts";

/** Costs in nanoseconds, roughly: a lookup in a column, reading a record, an index entry, a test of cost 1. */
const columnLook = 6;
const recordLook = 500;
const entryLook = 40;
const ascendingTest = 15;
const scatteredTest = 100;
/** The assumed selectivity of all conditions together: they may be correlated. A walk that finds too few matches is given up. */
const assumedShare = 0.5;
/** A walk that finds far fewer matches than estimated is given up. */
const patience = 2;
/** The cost of a column scan is predictable; a walk costs far more where no match is near its beginning. It must promise this advantage. */
const promise = 6;

interface Walkable extends Wanted {
  readonly field: FieldRuntime;
  readonly start: WalkStart;
}

/**
 * @returns undefined when another way is quicker, or when the walk has found too few for what it was promised to cost
 */
export function* walkWhenQuicker(reader: Reader, candidates: Candidates, options: Walkable): Work<Uid[] | undefined> {
  const { driven } = candidates;
  const index = options.field.ordered;
  if (index === undefined) return undefined;
  const entries = index.entries.open(reader.view);
  const total = entriesFrom(entries, options);
  const matches = driven.stream.count * (driven.tests.length === 0 ? 1 : assumedShare);
  const wanted = Math.min(options.wanted, matches);
  const visited = Math.min(total, Math.max(wanted, (wanted * total) / Math.max(1, matches)));
  const walkCost = visited * (entryLook + scatteredTest * candidates.clauses.reduce((sum, clause) => sum + clause.cost, 0));
  const columnar = options.field.column !== undefined && options.order.length === 1;
  const scanCost = driven.stream.count * (2 + ascendingTest * driven.cost) + matches * (columnar ? columnLook : recordLook);
  if (walkCost * (columnar ? promise : 1) > scanCost) return undefined;
  return yield* walk(reader, candidates, { ...options, entries, limit: Math.max(visited * patience, (visited * scanCost) / walkCost / 2) });
}

/** An estimate of the entries that a walk could visit. */
function entriesFrom(entries: OrderedView, { order, start }: Walkable): number {
  if (start === "nowhere") return 0;
  if (start === "beginning") return entries.estimate(entries.start(), entries.end());
  if (order[0]?.direction === "desc") return entries.estimate(entries.start(), entries.lowerBound(start.key, Number.POSITIVE_INFINITY));
  return entries.estimate(entries.lowerBound(start.key, start.uid), entries.end());
}

interface Walk extends Walkable {
  readonly entries: OrderedView;
  /** The number of entries to visit before the walk is given up. */
  readonly limit: number;
}

function* walk(reader: Reader, candidates: Candidates, options: Walk): Work<Uid[] | undefined> {
  const found = yield* options.order.length === 1 ? walkSpans(reader, candidates, options) : walkRuns(reader, candidates, options);
  if (found === undefined || found.length >= options.wanted) return found;
  return yield* withMissing(reader, candidates, { ...options, found });
}

/** With a single key, rows of one value are in uid order already: the walk may end inside a run. */
function* walkSpans(reader: Reader, candidates: Candidates, { order, wanted, entries, limit, field, start }: Walk): Work<Uid[] | undefined> {
  const test = membership(candidates, field);
  const found: Uid[] = [];
  const visit = (uid: Uid): boolean => {
    if (test(uid)) found.push(uid);
    return found.length < wanted;
  };
  let visited = 0;
  for (const { from, to, isDown } of spansOf(entries, { start, isDown: order[0]?.direction === "desc" })) {
    const count = isDown ? entries.backward(from, to, visit) : entries.forward(from, to, visit);
    visited += count;
    yield* reader.spend(count);
    if (found.length >= wanted) return found;
    if (visited > limit) return undefined;
  }
  return found;
}

/** With several keys, the rows of one value are sorted by the others. */
function* walkRuns(reader: Reader, candidates: Candidates, { order, after, wanted, entries, limit, field, start }: Walk): Work<Uid[] | undefined> {
  const test = membership(candidates, field);
  const found: Uid[] = [];
  let visited = 0;
  // The first run may hold nodes on both sides of the place; all others are behind it.
  let tied = after;
  for (const run of runsOf(entries, { start, isDown: order[0]?.direction === "desc" })) {
    const matches: Uid[] = [];
    const visit = (uid: Uid): boolean => {
      if (test(uid)) matches.push(uid);
      return true;
    };
    for (const { from, to } of spansOfRun(entries, run)) {
      const count = entries.forward(from, to, visit);
      visited += count;
      yield* reader.spend(count);
    }
    for (const uid of yield* sortByRest(reader, matches, { order, after: tied })) found.push(uid);
    tied = undefined;
    if (found.length >= wanted) return found;
    if (visited > limit) return undefined;
  }
  return found;
}

function* sortByRest(reader: Reader, uids: readonly Uid[], { order, after }: Omit<Wanted, "wanted">): Work<readonly Uid[]> {
  if (uids.length < 2 && after === undefined) return uids;
  yield* reader.prefetch(uids);
  return yield* sorted(reader, uids, { order, after, wanted: uids.length });
}

/** Whether a node of the index is among the candidates. */
function membership({ clauses, after }: Candidates, field: FieldRuntime): Test {
  const tests: Test[] = [];
  for (const clause of [...clauses].sort((a, b) => a.cost - b.cost)) {
    // The index itself holds no other types than the field's.
    if (clause.typesOnly !== undefined && field.types.every((type) => clause.typesOnly?.includes(type))) continue;
    tests.push(clause.tester());
  }
  const [only] = tests;
  if (after === 0 && only === undefined) return () => true;
  if (after === 0 && only !== undefined && tests.length === 1) return only;
  return (uid) => uid > after && tests.every((test) => test(uid));
}

/** Nodes without a value come last, sorted by uid or by the remaining keys. */
function* withMissing(
  reader: Reader,
  candidates: Candidates,
  { order, after, wanted, field, found }: Wanted & { readonly field: FieldRuntime; readonly found: Uid[] },
): Work<Uid[]> {
  const { column } = field;
  const lacks: Test =
    column === undefined
      ? (uid) => reader.record(uid)?.[field.property] === undefined
      : (uid) => Number.isNaN(column.chunk(chunkOf(uid), reader.view).high[uid & 255] ?? Number.NaN);
  const { driven } = candidates;
  const narrowed = { ...driven, tests: [...driven.tests, lacks], records: driven.records || column === undefined };
  const limit = order.length === 1 ? wanted - found.length : Number.POSITIVE_INFINITY;
  const place = after !== undefined && after.keys[0] === undefined ? after : undefined;
  if (order.length > 1) {
    const missing = yield* gather(reader, narrowed, { limit, after: candidates.after });
    return [...found, ...(yield* sortByRest(reader, missing, { order, after: place }))];
  }
  return [...found, ...(yield* gather(reader, narrowed, { limit, after: Math.max(candidates.after, place?.uid ?? 0) }))];
}
