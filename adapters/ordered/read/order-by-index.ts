// Order by an ordered index: its entries are visited in order, until enough of them are candidates.

import type { TypeName, Uid, Work } from "../../../core/storage.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import { chunkOf } from "../structures/column.ts";
import type { OrderedView } from "../structures/ordered-view.ts";
import type { Candidates } from "./candidates.ts";
import type { Clause, Driven, Test } from "./clause.ts";
import { every } from "./long-tests.ts";
import type { Reader } from "./reader.ts";
import { gather } from "./scan.ts";
import type { Wanted } from "./sort-rows.ts";
import { sortByRest, walkEntries } from "./walk-entries.ts";
import type { WalkStart } from "./walk-start.ts";

/** Costs in nanoseconds, roughly: a candidate of a list, one that several lists are merged for, a lookup in a column, reading a record, an index entry, a test of cost 1. */
const listedLook = 2;
const mergedLook = 20;
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
  const isColumnar = options.field.column !== undefined && options.order.length === 1;
  const otherwise = scanCost(driven, matches, isColumnar ? columnLook : recordLook);
  const advantage = isColumnar ? promise : 1;
  const limit = walkLimit({ total, matches, wanted: options.wanted, clauses: candidates.clauses, otherwise, advantage });
  if (limit === undefined) return undefined;
  const found = yield* walk(reader, candidates, { ...options, entries, limit });
  reader.chose(() => `${sortText(options)} of its index, where about ${about(matches)} of ${about(total)} entries match${outcomeText(found, limit)}`);
  return found;
}

/** What is sorted, for people. */
export function sortText({ order, wanted }: Pick<Wanted, "order" | "wanted">): string {
  const keys = order.map(({ field, direction }) => `${field} ${direction}`).join(", ");
  return `by ${keys}: ${Number.isFinite(wanted) ? `the first ${about(wanted)}` : "all"}`;
}

/** A size as people read it. */
export function about(size: number): string {
  return Math.round(size).toLocaleString("en");
}

function outcomeText(found: readonly Uid[] | undefined, limit: number): string {
  return found === undefined ? `; given up behind ${about(limit)} entries` : "";
}

/** What it costs to scan the candidates and sort the matches by their values. */
export function scanCost({ stream, cost }: Driven, matches: number, look = recordLook): number {
  return stream.count * ((stream.exact ? listedLook : mergedLook) + ascendingTest * cost) + matches * look;
}

interface WalkCost {
  /** The entries that a walk could visit. */
  readonly total: number;
  readonly matches: number;
  readonly wanted: number;
  readonly clauses: readonly Clause[];
  /** The cost of the other way. */
  readonly otherwise: number;
  /** How many times as cheap as that a walk must promise to be. */
  readonly advantage: number;
}

/** How many entries a walk may visit before it is given up; undefined: the other way is quicker. */
export function walkLimit({ total, matches, wanted, clauses, otherwise, advantage }: WalkCost): number | undefined {
  const visited = Math.min(total, Math.max(Math.min(wanted, matches), (Math.min(wanted, matches) * total) / Math.max(1, matches)));
  const cost = visited * (entryLook + scatteredTest * clauses.reduce((sum, clause) => sum + clause.cost, 0));
  return cost * advantage > otherwise ? undefined : Math.max(visited * patience, (visited * otherwise) / cost / 2);
}

/** An estimate of the entries that a walk could visit. */
export function entriesFrom(entries: OrderedView, { order, start }: Pick<Walkable, "order" | "start">): number {
  if (start === "nowhere") return 0;
  if (start === "beginning") return entries.estimate(entries.start(), entries.end());
  if (order[0]?.direction === "desc") return entries.estimate(entries.start(), entries.lowerBound(start.key, Number.POSITIVE_INFINITY));
  return entries.estimate(entries.lowerBound(start.key, start.uid), entries.end());
}

interface Walk extends Walkable {
  readonly entries: OrderedView;
  readonly limit: number;
}

function* walk(reader: Reader, candidates: Candidates, options: Walk): Work<Uid[] | undefined> {
  const found = yield* walkEntries(reader, { ...options, test: membership(candidates.clauses, candidates.after, options.field.types) });
  if (found === undefined || found.length >= options.wanted) return found;
  return yield* withMissing(reader, candidates, { ...options, found });
}

/** Whether a node of the index is among the candidates. @param held the types that the index itself holds */
export function membership(clauses: readonly Clause[], after: Uid, held: readonly TypeName[]): Test {
  const tests: Test[] = [];
  for (const clause of [...clauses].sort((a, b) => a.cost - b.cost)) {
    if (clause.typesOnly !== undefined && held.every((type) => clause.typesOnly?.includes(type))) continue;
    tests.push(clause.tester());
  }
  return every(after === 0 ? tests : [(uid) => uid > after, ...tests]);
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
