// Conditions on the value of a field: by lists of equal values, by spans of an ordered index, by columns, else by records.

import { type Compare, comparison, type Has } from "../../../core/index.ts";
import type { FieldRuntime, ListIndexRuntime, OrderedIndexRuntime } from "../deploy/layout-runtime.ts";
import { boundedText } from "../keyspaces/keys.ts";
import { type Column, chunkOf } from "../structures/column.ts";
import type { OrderedView, Position } from "../structures/ordered-view.ts";
import { compareSortKeys, equalityText, type SortKey, sortKey } from "../structures/sort-keys.ts";
import { type Clause, nothing, ofStream, recordCost, sortedListing, type Test } from "./clause.ts";
import type { Reader } from "./reader.ts";
import { ascending, type Stream, streamOf, unionOf } from "./stream.ts";
import type { Work } from "./work.ts";

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
      yield* reader.spend(0);
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
