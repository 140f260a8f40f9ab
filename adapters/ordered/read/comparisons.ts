// Conditions on the value of a field: by lists of equal values, by spans of an ordered index, by columns, else by records.

import { type Compare, comparison, type Has, type Work } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { FieldRuntime, ListIndexRuntime, OrderedIndexRuntime } from "../layout/layout-runtime.ts";
import { type Column, chunkOf } from "../structures/column.ts";
import type { OrderedView, Position } from "../structures/ordered-view.ts";
import { compareSortKeys, equalityText, type SortKey, sortKey } from "../structures/sort-keys.ts";
import { type Clause, nothing, ofStream, recordCost, sortedListing, type Test } from "./clause.ts";
import { listedUnion } from "./listed.ts";
import type { Reader } from "./reader.ts";
import { ascending, type Stream, streamOf, unionOf } from "./stream.ts";

export function has(reader: Reader, { field: name }: Has): Clause {
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

export function compare(reader: Reader, predicate: Compare): Clause {
  const field = reader.field(predicate.field);
  if (predicate.operands.length === 0) return nothing;
  const { ordered } = field;
  const lists = equalityListsOf(field, predicate);
  if (lists !== undefined) return byValue(reader, lists, predicate, field);
  if (ordered !== undefined) return byRange(reader, ordered, predicate);
  const test = recordComparison(reader, field, predicate);
  return { estimate: Number.POSITIVE_INFINITY, tester: () => test, records: true, cost: recordCost, covers: field.types };
}

/** The lists by value that decide an equality: those of a key that all types of the field share, or of a hash index. */
export function equalityListsOf(field: FieldRuntime, { op }: Compare): ListIndexRuntime["lists"] | undefined {
  if (op !== "eq" && op !== "in") return undefined;
  const key = field.keys.find((each) => each.fields.length === 1 && each.types.size === field.types.length);
  return key !== undefined && field.types.every((type) => key.types.has(type)) ? key.lists : field.hash?.lists;
}

/** The lists and ranges of more values are looked up when they are read, a few at a time; an estimate is made from as many. */
const manyValues = 64;

function byValue(reader: Reader, lists: ListIndexRuntime["lists"], predicate: Compare, field: FieldRuntime): Clause {
  const texts = new Set(predicate.operands.flatMap((operand) => equalityText(field.kind, operand) ?? []));
  const open = (text: string) => lists.open(boundedText(text), reader.view);
  if (texts.size <= manyValues) return ofStream(unionOf([...texts].map(open)), field.types);
  const sample = [...texts].slice(0, manyValues).reduce((sum, text) => sum + open(text).count, 0);
  const test: Test = (uid) => {
    const record = reader.record(uid);
    return record !== undefined && field.values(record).some((value) => texts.has(equalityText(field.kind, value) ?? ""));
  };
  return {
    estimate: Math.ceil((sample / manyValues) * texts.size),
    listing: sortedListing,
    stream: () => listedUnion(reader, texts, open),
    tester: () => test,
    records: true,
    cost: recordCost,
    covers: field.types,
  };
}

interface KeySpan {
  readonly low: SortKey | undefined;
  readonly lowOpen: boolean;
  readonly high: SortKey | undefined;
  readonly highOpen: boolean;
}

/** A disjunction of ranges over one field with an ordered index, as one clause; undefined where the field has none. */
export function compareAny(reader: Reader, predicates: readonly Compare[]): Clause | undefined {
  const [first] = predicates;
  const field = first && reader.field(first.field);
  if (field?.ordered?.column === undefined) return undefined;
  return bySpans(reader, field.ordered, disjoint(predicates.flatMap((each) => spansOf(field, each))));
}

/** Sorted, without overlaps. */
function disjoint(spans: readonly KeySpan[]): KeySpan[] {
  const result: KeySpan[] = [];
  for (const span of [...spans].sort(byStart)) {
    const last = result.at(-1);
    if (last === undefined || isApart(last, span)) result.push(span);
    else if (endsBefore(last, span)) result[result.length - 1] = { ...last, high: span.high, highOpen: span.highOpen };
  }
  return result;
}

function byStart(a: KeySpan, b: KeySpan): number {
  if (a.low === undefined || b.low === undefined) return Number(b.low === undefined) - Number(a.low === undefined);
  return compareSortKeys(a.low, b.low) || Number(a.lowOpen) - Number(b.lowOpen);
}

/** `b` begins after `a` ends. */
function isApart(a: KeySpan, b: KeySpan): boolean {
  if (a.high === undefined || b.low === undefined) return false;
  const order = compareSortKeys(b.low, a.high);
  return order > 0 || (order === 0 && a.highOpen && b.lowOpen);
}

function endsBefore(a: KeySpan, b: KeySpan): boolean {
  if (a.high === undefined) return false;
  if (b.high === undefined) return true;
  const order = compareSortKeys(a.high, b.high);
  return order < 0 || (order === 0 && a.highOpen && !b.highOpen);
}

/** The ranges of sort keys that satisfy the comparison exactly. */
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
  if (index.column !== undefined) return bySpans(reader, index, spans);
  const ranges = new Ranges(index.entries.open(reader.view), spans);
  const tester = () => recordComparison(reader, field, predicate);
  return {
    estimate: ranges.estimate,
    listing: sortedListing,
    stream: () => ranges.read(reader),
    tester,
    records: true,
    cost: recordCost,
    covers: field.types,
  };
}

/** Ranges of a field that has a column, which tests single nodes. */
function bySpans(reader: Reader, index: OrderedIndexRuntime, spans: readonly KeySpan[]): Clause {
  const { field, column } = index;
  const ranges = new Ranges(index.entries.open(reader.view), spans);
  const tester = (): Test => (column === undefined ? () => false : spanTest(reader, column, spans));
  return {
    estimate: ranges.estimate,
    listing: sortedListing,
    stream: () => ranges.read(reader),
    tester,
    records: false,
    cost: 1,
    covers: field.types,
  };
}

/** The entries of an ordered index in some spans. */
class Ranges {
  /** How many entries, at most; of many spans by the first ones. */
  readonly estimate: number;
  readonly #entries: OrderedView;
  readonly #spans: readonly KeySpan[];
  /** Of the first spans. */
  readonly #known: readonly (readonly [from: Position, to: Position])[];

  constructor(entries: OrderedView, spans: readonly KeySpan[]) {
    this.#entries = entries;
    this.#spans = spans;
    this.#known = spans.slice(0, manyValues).map((span) => positionsOf(entries, span));
    const sum = this.#known.reduce((total, [from, to]) => total + entries.estimate(from, to), 0);
    this.estimate = spans.length <= manyValues ? sum : Math.ceil((sum / manyValues) * spans.length);
  }

  *read(reader: Reader): Work<Stream> {
    const entries = this.#entries;
    const uids: number[] = [];
    let sorted = true;
    for (const [s, span] of this.#spans.entries()) {
      const [from, to] = this.#known[s] ?? positionsOf(entries, span);
      for (let b = from.block; b <= to.block && b < entries.blockCount; b++) {
        const block = entries.block(b).uids;
        const end = b === to.block ? to.index : block.length;
        for (let i = b === from.block ? from.index : 0; i < end; i++) {
          const uid = block[i] ?? 0;
          if (sorted && uid <= (uids.at(-1) ?? 0)) sorted = false;
          uids.push(uid);
        }
        yield* reader.spend(0);
      }
    }
    return streamOf(sorted ? uids : ascending(uids));
  }
}

function columnTest(reader: Reader, column: Column, holds: (high: number, low: number) => boolean): Test {
  let near = Number.NaN;
  let chunk = column.chunk(0, reader.view);
  return (uid) => {
    const number = chunkOf(uid);
    if (number !== near) {
      near = number;
      chunk = column.chunk(number, reader.view);
    }
    return holds(chunk.high[uid & 255] ?? Number.NaN, chunk.low === undefined ? 0 : (chunk.low[uid & 255] ?? 0));
  };
}

function spanTest(reader: Reader, column: Column, spans: readonly KeySpan[]): Test {
  const tests = (of: readonly KeySpan[]) => of.map((span) => spanHolds(column, span));
  if (spans.length <= fewSpans) return fewSpansTest(reader, column, tests(spans));
  const apart = disjoint(spans);
  const starts = apart.map((span): readonly [number, number] => (span.low === undefined ? lowest : column.parts(span.low)));
  const holds = tests(apart);
  return columnTest(reader, column, (high, low) => holds[lastStart(starts, high, low)]?.(high, low) ?? false);
}

/** As many are tested one after the other. */
const fewSpans = 4;

function fewSpansTest(reader: Reader, column: Column, tests: readonly ((high: number, low: number) => boolean)[]): Test {
  const [only] = tests;
  if (only === undefined) return () => false;
  return columnTest(reader, column, tests.length === 1 ? only : (high, low) => tests.some((test) => test(high, low)));
}
const lowest: readonly [number, number] = [Number.NEGATIVE_INFINITY, 0];

/** The last of the ascending starts that is not above the value; -1: none. */
function lastStart(starts: readonly (readonly [number, number])[], high: number, low: number): number {
  let from = 0;
  let to = starts.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const [startHigh, startLow] = starts[middle] ?? lowest;
    if (startHigh < high || (startHigh === high && startLow <= low)) from = middle + 1;
    else to = middle;
  }
  return from - 1;
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
