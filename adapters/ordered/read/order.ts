// Sorts candidates: by walking an ordered index until enough are found, by a top-k scan of a column, or by reading records. Estimates decide.

import {
  type Order,
  type OrderedRow,
  type OrderKey,
  type Place,
  type Predicate,
  rowComparator,
  type Steps,
  selectInSteps,
  type TopRequest,
  type TypeName,
  topInSteps,
  type Uid,
} from "../../../core/storage.ts";
import { isList } from "../../storage-kit/index.ts";
import type { FieldRuntime } from "../deploy/layout-runtime.ts";
import { type Column, type ColumnCells, chunkOf } from "../structures/column.ts";
import type { OrderedView, Position } from "../structures/ordered-view.ts";
import { sortKey } from "../structures/sort-keys.ts";
import { type Candidates, planCandidates } from "./candidates.ts";
import type { Test } from "./clause.ts";
import { blockRows, type Reader } from "./reader.ts";
import { gather, scan } from "./scan.ts";
import { later, startBehind, type WalkStart, walkStart } from "./walk-start.ts";
import type { Work } from "./work.ts";

interface Wanted {
  readonly order: Order;
  /** Only rows behind it. */
  readonly after: Place | undefined;
  /** The number of leading rows to return. */
  readonly wanted: number;
}

export interface OrderedRequest extends Wanted {
  readonly types: readonly TypeName[];
  readonly where: Predicate | undefined;
}

/** The first `wanted` nodes of these types that satisfy the conditions and are behind the place, in order. */
export function* orderedUids(reader: Reader, { types, where, order, after, wanted }: OrderedRequest): Work<readonly Uid[]> {
  const [first] = order;
  if (first === undefined || wanted <= 0) return [];
  const field = reader.field(first.field);
  const walked = { field, by: first };
  const candidates = yield* planCandidates(reader, types, where);
  const behind = after === undefined ? "beginning" : startBehind(after, walked);
  if (isWalkable(field, first) && behind !== undefined) {
    const start = later(walkStart(where, walked), behind, walked);
    const found = yield* walkWhenQuicker(reader, candidates, { order, after, wanted, field, start });
    if (found !== undefined) return found;
  }
  if (order.length === 1 && field.column !== undefined && first.collation === undefined && !field.converted) {
    return yield* topByColumn(reader, candidates, { column: field.column, descending: first.direction === "desc", after, wanted });
  }
  return yield* topByRecord(reader, candidates, { order, after, wanted });
}

/** A field that changed its type sorts by its converted values. Values that cannot be converted are not in the index. */
function isWalkable(field: FieldRuntime, key: OrderKey): boolean {
  return field.ordered !== undefined && !field.list && !field.converted && key.collation === undefined;
}

// --- by the ordered index

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

function* walkWhenQuicker(reader: Reader, candidates: Candidates, options: Walkable): Work<Uid[] | undefined> {
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

/** A run of equal values may be as long as the index. */
const entriesBetweenLooks = 1_024;

interface Walk extends Walkable {
  readonly entries: OrderedView;
  /** The number of entries to visit before the walk is given up. */
  readonly limit: number;
}

function* walk(reader: Reader, candidates: Candidates, { order, after, wanted, entries, limit, field, start }: Walk): Work<Uid[] | undefined> {
  const test = membership(candidates, field);
  const found: Uid[] = [];
  let visited = 0;
  // Of several keys the first run may hold nodes on both sides of the place; all others are behind it.
  let tied = after;
  for (const group of groupsOf(entries, order, start)) {
    const matches: Uid[] = [];
    // With a single key, rows of one value are in uid order already: the walk may end inside such a run.
    const enough = order.length === 1 ? wanted - found.length : Number.POSITIVE_INFINITY;
    let spent = 0;
    entries.forward(group.from, group.to, (uid) => {
      spent++;
      if (spent % entriesBetweenLooks === 0) reader.check();
      if (test(uid)) matches.push(uid);
      return matches.length < enough;
    });
    visited += spent;
    yield* reader.spend(spent);
    for (const uid of order.length === 1 ? matches : yield* sortByRest(reader, matches, { order, after: tied })) found.push(uid);
    tied = undefined;
    if (found.length >= wanted) return found;
    if (visited > limit) return undefined;
  }
  return yield* withMissing(reader, candidates, { order, after, wanted, field, found });
}

function* sortByRest(reader: Reader, uids: readonly Uid[], { order, after }: Omit<Wanted, "wanted">): Work<readonly Uid[]> {
  if (uids.length < 2 && after === undefined) return uids;
  yield* reader.prefetch(uids);
  return yield* sorted(reader, uids, { order, after, wanted: uids.length });
}

interface Group {
  readonly from: Position;
  readonly to: Position;
}

/** Runs of equal values in the direction of the order, from `start` on. For one ascending key, whole blocks serve as well. */
function groupsOf(entries: OrderedView, order: Order, start: WalkStart): Iterable<Group> {
  if (start === "nowhere") return [];
  const isDown = order[0]?.direction === "desc";
  if (start === "beginning") {
    if (isDown) return runsDown(entries, { block: entries.blockCount - 1, index: Number.POSITIVE_INFINITY });
    return order.length === 1 ? blocksUp(entries, entries.start()) : runsUp(entries, entries.start());
  }
  const from = entries.lowerBound(start.key, start.uid);
  if (isDown) return runsBelow(entries, { from, to: entries.lowerBound(start.key, Number.POSITIVE_INFINITY) }, entries.lowerBound(start.key, 0));
  return order.length === 1 ? blocksUp(entries, from) : runsUp(entries, from);
}

function* blocksUp(entries: OrderedView, start: Position): Generator<Group> {
  for (let { block, index } = start; block < entries.blockCount; block++, index = 0)
    yield { from: { block, index }, to: { block: block + 1, index: 0 } };
}

function* runsUp(entries: OrderedView, start: Position): Generator<Group> {
  let from = start;
  for (let first = entries.entryAt(from); first !== undefined; first = entries.entryAt(from)) {
    const to = entries.lowerBound(first.key, Number.POSITIVE_INFINITY);
    yield { from, to };
    from = to;
  }
}

/** What is left of a run, then the runs below it. */
function* runsBelow(entries: OrderedView, rest: Group, end: Position): Generator<Group> {
  yield rest;
  yield* runsDown(entries, end);
}

/** Most runs begin and end in one block: only longer ones need a search. */
function* runsDown(entries: OrderedView, end: Position): Generator<Group> {
  let to = end;
  while (to.block >= 0) {
    const { keys } = entries.block(to.block);
    const end = Math.min(to.index, keys.length);
    if (end === 0) {
      to = { block: to.block - 1, index: Number.POSITIVE_INFINITY };
      continue;
    }
    const key = keys[end - 1] ?? 0;
    let start = end - 1;
    while (start > 0 && keys[start - 1] === key) start--;
    const from: Position = start === 0 && to.block > 0 ? entries.lowerBound(key, 0) : { block: to.block, index: start };
    yield { from, to: { block: to.block, index: end } };
    to = from;
  }
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

// --- by a column

interface ByColumn {
  readonly column: Column;
  readonly descending: boolean;
  readonly after: Place | undefined;
  readonly wanted: number;
}

/** A top-k scan of the column. */
function* topByColumn(reader: Reader, candidates: Candidates, { column, descending, after, wanted }: ByColumn): Work<readonly Uid[]> {
  const best = wanted <= insertionLimit ? new BestRows(wanted, { descending }) : new ManyRows(wanted, { descending });
  const missing: Uid[] = [];
  const sign = descending ? -1 : 1;
  const floor = floorOf(after, column, sign);
  let near = Number.NaN;
  let cells: ColumnCells = column.chunk(0, reader.view);
  yield* scan(reader, candidates.driven, {
    after: candidates.after,
    take(uids) {
      let { bound } = best;
      for (let i = 0; i < uids.length; i++) {
        const uid = uids[i] ?? 0;
        const number = chunkOf(uid);
        if (number !== near) {
          near = number;
          cells = column.chunk(number, reader.view);
        }
        const high = cells.high[uid & 255] ?? Number.NaN;
        // Nearly all candidates end here: the counted loop and the local bound halve the time of the scan.
        if (sign * high > bound) continue;
        if (Number.isNaN(high)) {
          if (missing.length < wanted && uid > floor.missingUid) missing.push(uid);
          continue;
        }
        if (sign * high <= floor.high && !isBehind(uid, sign * high, sign * (cells.low?.[uid & 255] ?? 0), floor)) continue;
        best.offer(uid, high, cells.low === undefined ? 0 : (cells.low[uid & 255] ?? 0));
        bound = best.bound;
      }
      return best.hasExcess ? dropExcess(best, reader) : true;
    },
  });
  const found = yield* best.uids(reader);
  return found.length >= wanted ? found.slice(0, wanted) : [...found, ...missing];
}

/** A place among sort values: those of the column, or their negatives when descending. */
interface Floor {
  readonly high: number;
  readonly low: number;
  readonly uid: Uid;
  /** Nodes without a value are behind the place from this uid on. */
  readonly missingUid: Uid;
}

const noFloor: Floor = { high: Number.NEGATIVE_INFINITY, low: 0, uid: 0, missingUid: 0 };

function floorOf(place: Place | undefined, column: Column, sign: number): Floor {
  if (place === undefined) return noFloor;
  const [value] = place.keys;
  const key = value === undefined || isList(value) ? undefined : sortKey(column.kind, value);
  if (key === undefined) return { high: Number.POSITIVE_INFINITY, low: 0, uid: Number.POSITIVE_INFINITY, missingUid: place.uid };
  const [high, low] = column.parts(key);
  return { high: sign * high, low: sign * low, uid: place.uid, missingUid: 0 };
}

function isBehind(uid: Uid, high: number, low: number, floor: Floor): boolean {
  if (high !== floor.high) return high > floor.high;
  return low === floor.low ? uid > floor.uid : low > floor.low;
}

const insertionLimit = 200;

interface Direction {
  readonly descending: boolean;
}

interface Ranking {
  /** Rows whose sort value (the value, or its negative when descending) is above the bound are not among the first. */
  readonly bound: number;
  /** Call it in ascending order of uids. */
  offer(uid: Uid, high: number, low: number): void;
  /** Whether it keeps many more rows than are wanted. */
  readonly hasExcess: boolean;
  dropExcess(reader: Reader): Work<void>;
  uids(reader: Reader): Work<Uid[]>;
}

function* dropExcess(ranking: Ranking, reader: Reader): Work<true> {
  yield* ranking.dropExcess(reader);
  return true;
}

/** Keeps the first `count` rows, sorted. */
class BestRows implements Ranking {
  readonly #count: number;
  readonly #sign: number;
  readonly #highs: number[] = [];
  readonly #lows: number[] = [];
  readonly #uids: Uid[] = [];
  /** The value of the last row, once `count` rows are kept. */
  bound = Number.POSITIVE_INFINITY;
  readonly hasExcess = false;

  constructor(count: number, { descending }: Direction) {
    this.#count = count;
    this.#sign = descending ? -1 : 1;
  }

  offer(uid: Uid, value: number, lowValue: number): void {
    const high = this.#sign * value;
    const low = this.#sign * lowValue;
    const highs = this.#highs;
    const lows = this.#lows;
    let place = 0;
    for (let end = highs.length; place < end; ) {
      const middle = (place + end) >>> 1;
      if (isBefore(high, low, highs[middle] ?? 0, lows[middle] ?? 0)) end = middle;
      else place = middle + 1;
    }
    if (place >= this.#count) return;
    highs.splice(place, 0, high);
    lows.splice(place, 0, low);
    this.#uids.splice(place, 0, uid);
    if (highs.length > this.#count) {
      highs.pop();
      lows.pop();
      this.#uids.pop();
    }
    if (highs.length === this.#count) this.bound = highs[highs.length - 1] ?? this.bound;
  }

  *dropExcess(): Work<void> {}

  // biome-ignore lint/correctness/useYield: nothing is left to sort
  *uids(): Work<Uid[]> {
    return this.#uids;
  }
}

function isBefore(high: number, low: number, otherHigh: number, otherLow: number): boolean {
  return high < otherHigh || (high === otherHigh && low < otherLow);
}

/** Rows beyond the wanted ones that are kept until the worst are dropped. */
const keptRows = 1_000;

/** Keeps up to twice the wanted rows, and sorts them at the end. */
class ManyRows implements Ranking {
  bound = Number.POSITIVE_INFINITY;
  readonly #count: number;
  readonly #sign: number;
  #highs: number[] = [];
  #lows: number[] = [];
  #uids: Uid[] = [];

  constructor(count: number, { descending }: Direction) {
    this.#count = count;
    this.#sign = descending ? -1 : 1;
  }

  offer(uid: Uid, high: number, low: number): void {
    this.#highs.push(this.#sign * high);
    this.#lows.push(this.#sign * low);
    this.#uids.push(uid);
  }

  get hasExcess(): boolean {
    return this.#uids.length > this.#count * 2 + keptRows;
  }

  *dropExcess(reader: Reader): Work<void> {
    const places = yield* inTurns(reader, selectInSteps([...this.#uids.keys()], { compare: this.#compare, count: this.#count }));
    this.bound = this.#highs[places[this.#count - 1] ?? 0] ?? this.bound;
    this.#highs = places.map((place) => this.#highs[place] ?? 0);
    this.#lows = places.map((place) => this.#lows[place] ?? 0);
    this.#uids = places.map((place) => this.#uids[place] ?? 0);
  }

  *uids(reader: Reader): Work<Uid[]> {
    const places = yield* topRows(reader, [...this.#uids.keys()], { compare: this.#compare, page: pageOf(this.#count) });
    return places.map((place) => this.#uids[place] ?? 0);
  }

  readonly #compare = (a: number, b: number): number =>
    (this.#highs[a] ?? 0) - (this.#highs[b] ?? 0) || (this.#lows[a] ?? 0) - (this.#lows[b] ?? 0) || (this.#uids[a] ?? 0) - (this.#uids[b] ?? 0);
}

// --- by records

/** The first `wanted` of these nodes, whose records are cached. */
export function* sorted(reader: Reader, uids: readonly Uid[], { order, after, wanted }: Wanted): Work<Uid[]> {
  const compare = comparatorFor(reader, order);
  const rows: OrderedRow[] = [];
  for (let start = 0; start < uids.length; start += blockRows) {
    if (start > 0) yield* reader.spend(0);
    for (const row of rowsFor(reader, uids.slice(start, start + blockRows), order)) {
      if (after === undefined || compare(row, after) > 0) rows.push(row);
    }
  }
  return (yield* topRows(reader, rows, { compare, page: pageOf(wanted) })).map((row) => row.uid);
}

function topRows<Row extends object | number>(reader: Reader, rows: readonly Row[], request: TopRequest<Row>): Work<Row[]> {
  return inTurns(reader, topInSteps(rows, request));
}

/** Long sorts let other requests run between. */
function* inTurns<Result>(reader: Reader, steps: Steps<Result>): Work<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    yield* reader.spend(0);
  }
}

function pageOf(wanted: number): TopRequest<unknown>["page"] {
  return { offset: 0, first: wanted === Number.POSITIVE_INFINITY ? undefined : wanted };
}

export function comparatorFor(reader: Reader, order: Order): (a: OrderedRow, b: OrderedRow) => number {
  return rowComparator(order, (key) => reader.field(key.field).kind);
}

function rowsFor(reader: Reader, uids: readonly Uid[], order: Order): OrderedRow[] {
  const fields = order.map((key) => reader.field(key.field));
  return uids.map((uid) => {
    const record = reader.record(uid);
    return { uid, keys: fields.map((field) => record && field.read(record)) };
  });
}

/** Reads records block by block and keeps no more than are wanted. */
function* topByRecord(reader: Reader, candidates: Candidates, { order, after: place, wanted }: Wanted): Work<readonly Uid[]> {
  const compare = comparatorFor(reader, order);
  const { driven, after } = candidates;
  let kept: OrderedRow[] = [];
  // Nothing beyond it is among the first. It is asked before the place: nearly all rows end here.
  let worst: OrderedRow | undefined;
  function* halve(): Work<true> {
    kept = yield* inTurns(reader, selectInSteps(kept, { compare, count: wanted }));
    worst = kept[wanted - 1];
    return true;
  }
  yield* scan(
    reader,
    { ...driven, records: true },
    {
      after,
      take(uids) {
        for (const row of rowsFor(reader, uids, order)) {
          if (worst !== undefined && compare(row, worst) >= 0) continue;
          if (place === undefined || compare(row, place) > 0) kept.push(row);
        }
        return kept.length > wanted * 2 + keptRows ? halve() : true;
      },
    },
  );
  return (yield* topRows(reader, kept, { compare, page: pageOf(wanted) })).map((row) => row.uid);
}
