// Compiles predicates for one view: how many nodes may satisfy one, how to list them, how to test a single node.

import {
  type After,
  type And,
  type Check,
  type Compare,
  comparison,
  type Has,
  isLasting,
  type Linked,
  type Lookup,
  type Not,
  type OneOf,
  type Or,
  type Predicate,
  type TypeName,
  type Uid,
} from "../../../core/index.ts";
import { boundedText } from "../cells/keys.ts";
import type { EndRuntime, FieldRuntime, ListIndexRuntime, OrderedIndexRuntime } from "../deploy/schema.ts";
import { type Column, chunkOf } from "../structures/column.ts";
import type { OrderedView, Position } from "../structures/ordered-index.ts";
import { compareSortKeys, equalityText, type SortKey, sortKey } from "../structures/sort-keys.ts";
import type { Reader } from "./reader.ts";
import { remembered } from "./remembered.ts";
import { gather } from "./scan.ts";
import { ascending, emptyStream, type Stream, streamOf, unionOf } from "./stream.ts";
import { Pace, type Work } from "./work.ts";

export interface Test {
  (uid: Uid): boolean;
  /** Those of a block that pass, where that is quicker than one by one. */
  readonly sieve?: (uids: readonly Uid[]) => readonly Uid[];
}

export interface Clause {
  /** How many nodes satisfy it, roughly and rather too many; `Infinity` when it cannot say. */
  readonly estimate: number;
  /** Exactly the nodes that satisfy it. Without it, it can only be tested. */
  readonly stream?: () => Work<Stream>;
  /** Nodes among which are all that satisfy it, where they are at hand sooner than the stream: who walks them tests the clause as well. */
  readonly among?: () => Work<Stream>;
  /** What one node of the stream (of `among`, where there is one) costs to list; 1 where the list is there, more where it has to be made first. */
  readonly listing?: number;
  /** How many nodes satisfy it, where that is known without looking. */
  readonly exactCount?: number;
  /** Makes a test of single nodes, quickest when asked in ascending order. */
  readonly tester: () => Test;
  /** The test looks at records. */
  readonly records: boolean;
  /** What a test costs: a look at a list or column is 1. */
  readonly cost: number;
  /** Nodes of other types never satisfy it. */
  readonly covers?: readonly TypeName[];
  /** It is nothing but a condition on the type, and these are the types. */
  readonly typesOnly?: readonly TypeName[];
  /** It is the conjunction of these: whoever walks one of them and tests the others need not list it whole. */
  readonly conjuncts?: readonly Clause[];
}

const recordCost = 20;
/** Gathered from blocks and sorted by uid. */
const sortedListing = 6;

// biome-ignore lint/correctness/useYield: a Work that never waits is a Work all the same
function* at<T>(value: T): Work<T> {
  return value;
}

const everything: Clause = { estimate: Number.POSITIVE_INFINITY, tester: () => () => true, records: false, cost: 0 };
const nothing: Clause = {
  estimate: 0,
  stream: () => at(emptyStream),
  exactCount: 0,
  tester: () => () => false,
  records: false,
  cost: 0,
  covers: [],
};

export function compileClause(reader: Reader, predicate: Predicate): Clause {
  return isLasting(predicate) ? remembered(reader, predicate, () => compile(reader, predicate)) : compile(reader, predicate);
}

function compile(reader: Reader, predicate: Predicate): Clause {
  switch (predicate.kind) {
    case "all":
      return everything;
    case "none":
      return nothing;
    case "and":
      return conjunction(reader, predicate);
    case "or":
      return disjunction(reader, predicate);
    case "not":
      return complement(reader, predicate);
    case "type":
      return ofTypes(reader, predicate.types);
    case "uids":
      return oneOf(predicate);
    case "after":
      return after(predicate);
    case "has":
      return has(reader, predicate);
    case "compare":
      return compare(reader, predicate);
    case "lookup":
      return lookup(reader, predicate);
    case "check":
      return check(reader, predicate);
    case "linked":
      return linked(reader, predicate);
  }
}

function ofStream(stream: Stream, covers?: readonly TypeName[]): Clause {
  return {
    estimate: stream.count,
    stream: () => at(stream),
    ...(stream.exact && { exactCount: stream.count }),
    tester: () => (uid) => stream.contains(uid),
    records: false,
    cost: 1,
    ...(covers && { covers }),
  };
}

/** Nodes of these types. */
export function ofTypes(reader: Reader, types: readonly TypeName[]): Clause {
  const ids = types.map((type) => reader.schema.typeIds.get(type) ?? 0);
  const clause = ofStream(unionOf(ids.map((id) => reader.nodes.byType.open(id, reader.view))), types);
  return { ...clause, exactCount: clause.estimate, tester: () => typeTest(reader, ids), typesOnly: types };
}

function typeTest(reader: Reader, ids: readonly number[]): Test {
  let near = Number.NaN;
  let chunk: Uint16Array | undefined;
  return (uid) => {
    const number = chunkOf(uid);
    if (number !== near) {
      near = number;
      chunk = reader.nodes.types.chunk(number, reader.view);
    }
    const id = chunk?.[uid & 255] ?? 0;
    return id !== 0 && ids.includes(id);
  };
}

function oneOf({ uids }: OneOf): Clause {
  return ofStream(streamOf(uids));
}

function after({ uid: bound }: After): Clause {
  return { estimate: Number.POSITIVE_INFINITY, tester: () => (uid) => uid > bound, records: false, cost: 0 };
}

function has(reader: Reader, { field: name }: Has): Clause {
  const field = reader.field(name);
  const { column } = field;
  const estimate = Number.POSITIVE_INFINITY;
  if (column !== undefined && !field.converted) {
    const test = columnTest(reader, column, (high) => !Number.isNaN(high));
    return { estimate, tester: () => test, records: false, cost: 1, covers: field.types };
  }
  const test: Test = (uid) => {
    const record = reader.record(uid);
    return record !== undefined && field.read(record) !== undefined;
  };
  return { estimate, tester: () => test, records: true, cost: recordCost, covers: field.types };
}

function check(reader: Reader, predicate: Check): Clause {
  const field = reader.field(predicate.field);
  const { holds } = predicate.test;
  const test: Test = slowTest(reader, (uid) => {
    const record = reader.record(uid);
    if (record === undefined) return false;
    const values = field.values(record);
    return values.length > 0 && holds(values);
  });
  const clause: Clause = { estimate: Number.POSITIVE_INFINITY, tester: () => test, records: true, cost: recordCost * 2, covers: field.types };
  const within = predicate.within && compileClause(reader, predicate.within);
  if (within?.stream === undefined) return clause;
  const conjuncts = [clause, within];
  return { ...clause, estimate: within.estimate, listing: (within.listing ?? 1) + clause.cost, stream: () => listOf(reader, conjuncts), conjuncts };
}

/** Texts may be long, and a test of one take longer than a block of others. */
function slowTest(reader: Reader, test: Test): Test {
  let count = 0;
  return (uid) => {
    if (++count % slowTestsBetweenLooks === 0) reader.check();
    return test(uid);
  };
}

const slowTestsBetweenLooks = 16;

// --- comparisons

function compare(reader: Reader, predicate: Compare): Clause {
  const field = reader.field(predicate.field);
  if (predicate.operands.length === 0) return nothing;
  const { hash, ordered } = field;
  const equality = predicate.op === "eq" || predicate.op === "in";
  const key = equality ? field.keys.find((each) => each.fields.length === 1 && each.types.size === field.types.length) : undefined;
  if (key !== undefined && field.types.every((type) => key.types.has(type))) return byValue(reader, key.lists, predicate, field);
  if (equality && hash !== undefined) return byValue(reader, hash.lists, predicate, field);
  if (ordered !== undefined) return byRange(reader, ordered, predicate);
  const test = recordComparison(reader, field, predicate);
  return { estimate: Number.POSITIVE_INFINITY, tester: () => test, records: true, cost: recordCost, covers: field.types };
}

function byValue(reader: Reader, lists: ListIndexRuntime["lists"], predicate: Compare, field: FieldRuntime): Clause {
  const texts = new Set(predicate.operands.flatMap((operand) => equalityText(field.kind, operand) ?? []));
  return ofStream(unionOf([...texts].map((text) => lists.open(boundedText(text), reader.view))), field.types);
}

interface KeySpan {
  readonly low: SortKey | undefined;
  readonly lowOpen: boolean;
  readonly high: SortKey | undefined;
  readonly highOpen: boolean;
}

/** The spans of sort keys that an ordered index has to look at; together exactly the operands' meaning. */
function spansOf(field: FieldRuntime, { op, operands }: Compare): KeySpan[] {
  const keys = operands.flatMap((operand) => sortKey(field.kind, operand) ?? []);
  if (op === "in" || op === "eq") {
    const wanted = op === "eq" ? keys.slice(0, 1) : keys;
    const distinct = [...new Set(wanted)];
    return distinct.map((key) => ({ low: key, lowOpen: false, high: key, highOpen: false }));
  }
  const [first, second] = keys;
  if (first === undefined) return [];
  if (op === "between") {
    if (second === undefined || compareSortKeys(first, second) > 0) return [];
    return [{ low: first, lowOpen: false, high: second, highOpen: false }];
  }
  if (op === "gt" || op === "ge") return [{ low: first, lowOpen: op === "gt", high: undefined, highOpen: false }];
  return [{ low: undefined, lowOpen: false, high: first, highOpen: op === "lt" }];
}

function positionsOf(view: OrderedView, span: KeySpan): readonly [from: Position, to: Position] {
  const from = span.low === undefined ? view.start() : view.lowerBound(span.low, span.lowOpen ? Number.POSITIVE_INFINITY : 0);
  const to = span.high === undefined ? view.end() : view.lowerBound(span.high, span.highOpen ? 0 : Number.POSITIVE_INFINITY);
  return [from, to];
}

function byRange(reader: Reader, index: OrderedIndexRuntime, predicate: Compare): Clause {
  const { field } = index;
  const spans = spansOf(field, predicate);
  const entries = index.entries.open(reader.view);
  const positions = spans.map((span) => positionsOf(entries, span));
  const estimate = positions.reduce((sum, [from, to]) => sum + entries.estimate(from, to), 0);
  const columnar = index.column !== undefined;
  const test = index.column === undefined ? recordComparison(reader, field, predicate) : spanTest(reader, index.column, spans);
  return {
    estimate,
    listing: sortedListing,
    stream: () => rangeStream(reader, entries, positions),
    tester: () => test,
    records: !columnar,
    cost: columnar ? 1 : recordCost,
    covers: field.types,
  };
}

function* rangeStream(reader: Reader, entries: OrderedView, positions: readonly (readonly [Position, Position])[]): Work<Stream> {
  const uids: number[] = [];
  const pace = new Pace();
  let sorted = true;
  for (const [from, to] of positions) {
    for (let b = from.block; b <= to.block && b < entries.blockCount; b++) {
      const block = entries.block(b).uids;
      const end = b === to.block ? to.index : block.length;
      for (let i = b === from.block ? from.index : 0; i < end; i++) {
        const uid = block[i] ?? 0;
        if (sorted && uid <= (uids.at(-1) ?? 0)) sorted = false;
        uids.push(uid);
      }
      yield* reader.spend(0, pace);
    }
  }
  return streamOf(sorted ? uids : ascending(uids));
}

function columnTest(reader: Reader, column: Column, holds: (high: number, low: number) => boolean): Test {
  let near = Number.NaN;
  let cells = column.chunk(0, reader.view);
  return (uid) => {
    const number = chunkOf(uid);
    if (number !== near) {
      near = number;
      cells = column.chunk(number, reader.view);
    }
    return holds(cells.high[uid & 255] ?? Number.NaN, cells.low === undefined ? 0 : (cells.low[uid & 255] ?? 0));
  };
}

function spanTest(reader: Reader, column: Column, spans: readonly KeySpan[]): Test {
  const tests = spans.map((span) => spanHolds(column, span));
  const [only] = tests;
  if (only === undefined) return () => false;
  return columnTest(reader, column, tests.length === 1 ? only : (high, low) => tests.some((test) => test(high, low)));
}

function spanHolds(column: Column, span: KeySpan): (high: number, low: number) => boolean {
  const [fromHigh, fromLow] = span.low === undefined ? [Number.NEGATIVE_INFINITY, 0] : column.parts(span.low);
  const [toHigh, toLow] = span.high === undefined ? [Number.POSITIVE_INFINITY, 0] : column.parts(span.high);
  const { lowOpen, highOpen } = span;
  return (high, low) => {
    if (!(high >= fromHigh && high <= toHigh)) return false;
    if (high === fromHigh && (low < fromLow || (lowOpen && low === fromLow))) return false;
    return !(high === toHigh && (low > toLow || (highOpen && low === toLow)));
  };
}

function recordComparison(reader: Reader, field: FieldRuntime, predicate: Compare): Test {
  const holds = comparison(predicate, field.kind);
  return (uid) => {
    const record = reader.record(uid);
    return record !== undefined && field.values(record).some(holds);
  };
}

// --- tokens

function lookup(reader: Reader, predicate: Lookup): Clause {
  if (predicate.tokens.length === 0) return nothing;
  const index = reader.schema.indexes.get(predicate.index);
  if (index?.by !== "tokens") return scannedLookup(reader, predicate);
  const tokens = [...new Set(predicate.tokens)];
  const lists = tokens.map((token) => ofStream(index.lists.open(boundedText(token), reader.view), index.field.types));
  if (predicate.match === "all") return allOf(reader, lists);
  return ofStream(unionOf(tokens.map((token) => index.lists.open(boundedText(token), reader.view))), index.field.types);
}

/** For a layout whose index is gone: the tokenizer tells, record by record. */
function scannedLookup(reader: Reader, predicate: Lookup): Clause {
  const index = reader.schema.layout.indexes.find((each) => each.name === predicate.index);
  if (index?.by !== "tokens") throw new TypeError(`no token index ${predicate.index} in the layout`);
  const field = reader.field(index.field);
  const test: Test = slowTest(reader, (uid) => {
    const record = reader.record(uid);
    if (record === undefined) return false;
    const found = new Set(field.values(record).flatMap((value) => index.tokens(value)));
    return predicate.match === "any" ? predicate.tokens.some((token) => found.has(token)) : predicate.tokens.every((token) => found.has(token));
  });
  return { estimate: Number.POSITIVE_INFINITY, tester: () => test, records: true, cost: recordCost * 2, covers: field.types };
}

// --- and, or, not

function conjunction(reader: Reader, { of }: And): Clause {
  return allOf(
    reader,
    of.map((each) => compileClause(reader, each)),
  );
}

/** Conjunctions as the conditions they are made of, whatever their nesting. */
export function flatten(clauses: readonly Clause[]): readonly Clause[] {
  return clauses.flatMap((clause) => (clause.conjuncts === undefined ? [clause] : flatten(clause.conjuncts)));
}

function allOf(reader: Reader, conjuncts: readonly Clause[]): Clause {
  const parts = flatten(conjuncts);
  if (parts.length === 1) return parts[0] ?? everything;
  const listed = cheapest(parts);
  const covers = parts.find((part) => part.covers !== undefined)?.covers;
  const clause: Clause = {
    estimate: Math.min(...parts.map((part) => part.estimate)),
    tester: () => everyTest(parts),
    records: parts.some((part) => part.records),
    cost: parts.reduce((sum, part) => sum + part.cost, 0),
    ...(covers && { covers }),
  };
  if (listed === undefined) return { ...clause, conjuncts: parts };
  return { ...clause, listing: listed.listing ?? 1, stream: () => listOf(reader, parts), among: () => walkOf(listed), conjuncts: parts };
}

/** The one that is listed soonest; undefined when none can be. */
function cheapest(parts: readonly Clause[]): Clause | undefined {
  let best: Clause | undefined;
  for (const part of parts) if (part.stream !== undefined && (best === undefined || listingCost(part) < listingCost(best))) best = part;
  return best;
}

function walkOf({ among, stream }: Clause): Work<Stream> {
  return (among ?? stream)?.() ?? at(emptyStream);
}

function everyTest(parts: readonly Clause[]): Test {
  const tests = [...parts].sort((a, b) => a.cost - b.cost).map((part) => part.tester());
  return (uid) => {
    for (const test of tests) if (!test(uid)) return false;
    return true;
  };
}

function* listOf(reader: Reader, parts: readonly Clause[]): Work<Stream> {
  return streamOf(yield* gather(reader, yield* chooseDriver(parts), { limit: Number.POSITIVE_INFINITY, after: 0 }));
}

/** What to walk, and what each node on the way must pass. */
export interface Driven {
  readonly stream: Stream;
  readonly tests: readonly Test[];
  readonly records: boolean;
  /** So many of the first tests look at no record. */
  readonly sifting: number;
  readonly cost: number;
  /** The clause behind the stream, for whoever walks something else and must test this too. */
  readonly driver: Clause;
}

function listingCost({ estimate, listing = 1 }: Clause): number {
  return estimate * listing;
}

/** Walks the clause with the fewest nodes and tests the others, cheapest first. At least one part has a stream. */
export function* chooseDriver(parts: readonly Clause[]): Work<Driven> {
  const driver = cheapest(parts) ?? nothing;
  const others = parts.filter((part) => part !== driver || part.among !== undefined).sort((a, b) => a.cost - b.cost);
  const tests = others.map((part) => part.tester());
  const stream = yield* walkOf(driver);
  const reading = others.findIndex((part) => part.records);
  const cost = others.reduce((sum, part) => sum + part.cost, 0);
  return { stream, tests, records: reading >= 0, sifting: reading < 0 ? others.length : reading, cost, driver };
}

function disjunction(reader: Reader, { of }: Or): Clause {
  const parts = of.map((each) => compileClause(reader, each));
  const covers = parts.every((part) => part.covers !== undefined) ? [...new Set(parts.flatMap((part) => part.covers ?? []))] : undefined;
  const clause: Clause = {
    estimate: parts.reduce((sum, part) => sum + part.estimate, 0),
    tester: () => someTest(parts),
    records: parts.some((part) => part.records),
    cost: parts.reduce((sum, part) => sum + part.cost, 0),
    ...(covers && { covers }),
  };
  if (parts.some((part) => part.stream === undefined)) return clause;
  return { ...clause, listing: Math.max(sortedListing, ...parts.map((part) => part.listing ?? 1)), stream: () => unionWork(parts) };
}

function someTest(parts: readonly Clause[]): Test {
  const tests = [...parts].sort((a, b) => a.cost - b.cost).map((part) => part.tester());
  return (uid) => {
    for (const test of tests) if (test(uid)) return true;
    return false;
  };
}

function* unionWork(parts: readonly Clause[]): Work<Stream> {
  const streams: Stream[] = [];
  for (const part of parts) if (part.stream !== undefined) streams.push(yield* part.stream());
  return unionOf(streams);
}

function complement(reader: Reader, { of }: Not): Clause {
  const inner = compileClause(reader, of);
  return { estimate: Number.POSITIVE_INFINITY, tester: () => negated(inner), records: inner.records, cost: inner.cost };
}

function negated(inner: Clause): Test {
  const test = inner.tester();
  return (uid) => !test(uid);
}

// --- links

/** Below so many partners, a semi-join starts from them. */
const selective = 5_000;

function linked(reader: Reader, { end: name, where, atLeast }: Linked): Clause {
  const end = reader.schema.ends.get(name);
  if (end === undefined) throw new TypeError(`no end ${name} in the layout`);
  const partners = end.showsAll ? [] : [ofTypes(reader, [...end.partners])];
  const inner = compileClause(reader, where);
  const wanted = where.kind === "all" ? partners : [...partners, inner];
  const starts = !end.guarded
    ? undefined
    : typeTest(
        reader,
        [...end.types].map((type) => reader.schema.typeIds.get(type) ?? 0),
      );
  const clause: Clause = {
    estimate: Number.POSITIVE_INFINITY,
    tester: () => linkTest(reader, { end, wanted, atLeast, starts }),
    records: false,
    cost: inner.records ? recordCost * 4 : 6,
    covers: [...end.types],
  };
  if (inner.stream === undefined || inner.estimate > selective) return clause;
  return {
    ...clause,
    estimate: inner.estimate * 4,
    listing: sortedListing,
    stream: () => linkSources(reader, { end, wanted: [...partners, inner], atLeast, starts }),
  };
}

interface SemiJoin {
  readonly end: EndRuntime;
  readonly wanted: readonly Clause[];
  readonly atLeast: number;
  readonly starts: Test | undefined;
}

/** Decides by the links of the node at hand. What was found out about a partner is kept for the next node. */
function linkTest(reader: Reader, { end, wanted, atLeast, starts }: SemiJoin): Test {
  if (wanted.length === 0) return (uid) => (starts === undefined || starts(uid)) && end.lists.count(uid, reader.view) >= atLeast;
  const test = everyTest(wanted);
  const known = new Map<Uid, boolean>();
  const holds = (partner: Uid): boolean => {
    let answer = known.get(partner);
    if (answer === undefined) {
      answer = test(partner);
      if (known.size < maxKnown) known.set(partner, answer);
    }
    return answer;
  };
  return (uid) => {
    if (starts !== undefined && !starts(uid)) return false;
    if (end.lists.count(uid, reader.view) < atLeast) return false;
    const list = end.lists.open(uid, reader.view);
    let found = 0;
    for (let i = 0; i < list.chunkCount; i++) {
      if (i > 0) reader.check();
      for (const partner of list.chunk(i)) if (holds(partner) && ++found >= atLeast) return true;
    }
    return false;
  };
}

const maxKnown = 100_000;

/** Starts from the partners, and counts who links to them. */
function* linkSources(reader: Reader, { end, wanted, atLeast, starts }: SemiJoin): Work<Stream> {
  const partners = yield* gather(reader, yield* chooseDriver(wanted), { limit: Number.POSITIVE_INFINITY, after: 0 });
  const pace = new Pace();
  const counts = new Map<Uid, number>();
  for (const partner of partners) {
    const sources = end.reverse.open(partner, reader.view);
    for (let i = 0; i < sources.chunkCount; i++) {
      if (i > 0) reader.check();
      for (const source of sources.chunk(i)) counts.set(source, (counts.get(source) ?? 0) + 1);
    }
    yield* reader.spend(0, pace);
  }
  const found: Uid[] = [];
  for (const [source, count] of counts) if (count >= atLeast && (starts === undefined || starts(source))) found.push(source);
  return streamOf(ascending(found));
}
