// Conditions on the value of a field: by lists of equal values, by spans of an ordered index, by columns, else by records.

import { type Compare, comparison, type Has } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { FieldRuntime, ListIndexRuntime, OrderedIndexRuntime } from "../layout/layout-runtime.ts";
import { type Column, chunkOf } from "../structures/column.ts";
import { equalityText } from "../structures/sort-keys.ts";
import { type Clause, nothing, ofStream, recordCost, sortedListing, type Test } from "./clause.ts";
import { disjoint, type KeySpan, manyValues, Ranges, spansOf } from "./key-spans.ts";
import { listedUnion } from "./listed.ts";
import type { Reader } from "./reader.ts";
import { unionOf } from "./stream.ts";

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

/** A disjunction of ranges over one field with an ordered index, as one clause; undefined where the field has none. */
export function compareAny(reader: Reader, predicates: readonly Compare[]): Clause | undefined {
  const [first] = predicates;
  const field = first && reader.field(first.field);
  if (field?.ordered?.column === undefined) return undefined;
  return bySpans(reader, field.ordered, disjoint(predicates.flatMap((each) => spansOf(field, each))));
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
