// Merges comparisons of one field, so that the number of conditions that run depends on the data, not on how often a request repeats itself:
// 20,000 overlapping ranges in an `or` are one range.

import type { Compare, Comparison, Predicate } from "../../contracts/predicate.ts";
import { compareValues } from "../../ground/values/compare.ts";
import type { FieldName, Value, ValueKind } from "../../ground/values/value.ts";

/** What merging needs to know of a field. */
export interface ComparedField {
  readonly kind: ValueKind;
  /** A list meets each condition of a conjunction by another element: its ranges are not cut. */
  readonly list: boolean;
}

/** What merging needs to know of a field, by its name. Undefined: comparisons of it are not merged. */
export type ComparedFields = (field: FieldName) => ComparedField | undefined;

/** Merging fewer is not worth the look. */
const fewest = 3;

/** The parts of a disjunction, with one `in` and disjoint ranges for each field. */
export function mergeAlternatives(parts: readonly Predicate[], fields: ComparedFields): readonly Predicate[] {
  return mergeByField(parts, fields, (compares, { kind }) => [...mergedEqualities(compares), ...unitedRanges(compares, kind)]);
}

/** The parts of a conjunction, with at most one lower and one upper bound for each field. */
export function mergeConjuncts(parts: readonly Predicate[], fields: ComparedFields): readonly Predicate[] {
  return mergeByField(parts, fields, (compares, { kind, list }) => {
    if (list) return distinct(compares);
    return [...distinct(compares.filter(isEquality)), ...tightestBounds(compares, kind)];
  });
}

function mergeByField(
  parts: readonly Predicate[],
  fields: ComparedFields,
  merge: (compares: readonly Compare[], field: ComparedField) => readonly Predicate[],
): readonly Predicate[] {
  if (parts.length < fewest) return parts;
  const groups = new Map<FieldName, Compare[]>();
  const others: Predicate[] = [];
  for (const part of parts) {
    const group = part.kind === "compare" && isMergeable(part, fields(part.field)) ? part : undefined;
    if (group === undefined) others.push(part);
    else listed(groups, group.field).push(group);
  }
  return [...[...groups].flatMap(([name, compares]) => mergedGroup(compares, fields(name), merge)), ...others];
}

function listed(groups: Map<FieldName, Compare[]>, name: FieldName): Compare[] {
  const known = groups.get(name) ?? [];
  groups.set(name, known);
  return known;
}

function mergedGroup(
  compares: readonly Compare[],
  field: ComparedField | undefined,
  merge: (compares: readonly Compare[], field: ComparedField) => readonly Predicate[],
): readonly Predicate[] {
  return field === undefined || compares.length < fewest || !areAlike(compares) ? compares : merge(compares, field);
}

/** Values of several JavaScript types have no order among each other. */
function areAlike(compares: readonly Compare[]): boolean {
  const type = typeof compares[0]?.operands[0];
  return compares.every(({ operands }) => operands.every((operand) => typeof operand === type));
}

/** Operands that the field's order cannot place stay as they are. */
function isMergeable({ operands }: Compare, field: ComparedField | undefined): boolean {
  return (
    field !== undefined &&
    operands.length > 0 &&
    operands.every((operand) => typeof operand !== "object" && compareValues(field.kind, operand, operand) === 0)
  );
}

function isEquality({ op }: Compare): boolean {
  return op === "eq" || op === "in";
}

function distinct(compares: readonly Compare[]): readonly Compare[] {
  const seen = new Map<string, Compare>();
  for (const each of compares) {
    const id = `${each.op} ${each.operands.map(String).join("\n")}`;
    if (!seen.has(id)) seen.set(id, each);
  }
  return [...seen.values()];
}

function mergedEqualities(compares: readonly Compare[]): readonly Compare[] {
  const equalities = compares.filter(isEquality);
  const [first, second] = equalities;
  if (first === undefined || second === undefined) return equalities;
  const operands = new Set<Value>();
  for (const each of equalities) for (const operand of each.op === "eq" ? each.operands.slice(0, 1) : each.operands) operands.add(operand);
  return [{ kind: "compare", field: first.field, op: "in", operands: [...operands] }];
}

// --- ranges

/** Without a bound it is open on that side. */
interface Range {
  readonly low?: Bound;
  readonly high?: Bound;
}

interface Bound {
  readonly value: Value;
  /** The value itself belongs to the range. */
  readonly isIncluded: boolean;
}

function rangeOf({ op, operands }: Compare): Range | undefined {
  const [first, second] = operands;
  if (first === undefined) return undefined;
  if (op === "between") return second === undefined ? undefined : { low: included(first), high: included(second) };
  if (op === "gt" || op === "ge") return { low: { value: first, isIncluded: op === "ge" } };
  return { high: { value: first, isIncluded: op === "le" } };
}

function included(value: Value): Bound {
  return { value, isIncluded: true };
}

/** Ranges that touch become one, as far as one comparison can say it. */
function unitedRanges(compares: readonly Compare[], kind: ValueKind): readonly Compare[] {
  const ranges = rangesIn(compares);
  const downward = ranges.flatMap(({ low, high }) => (low === undefined && high ? [high] : []));
  const upward = ranges.flatMap(({ low, high }) => (high === undefined && low ? [low] : []));
  const highest = greatest(downward, (a, b) => compareEnds(kind, a, b));
  const lowest = greatest(upward, (a, b) => compareStarts(kind, b, a));
  const isApart = ({ from, to }: Interval) =>
    !(highest && compareEnds(kind, included(to), highest) <= 0) && !(lowest && compareStarts(kind, included(from), lowest) >= 0);
  const between = unitedIntervals(intervalsIn(ranges, kind), kind).filter(isApart);
  const united: readonly Range[] = [
    ...(highest ? [{ high: highest }] : []),
    ...between.map(({ from, to }) => ({ low: included(from), high: included(to) })),
    ...(lowest ? [{ low: lowest }] : []),
  ];
  return united.map((range) => comparisonOf(fieldOf(compares), range));
}

/** The values from `from` to `to`, both included. */
interface Interval {
  readonly from: Value;
  readonly to: Value;
}

/** Without those that hold no value. */
function intervalsIn(ranges: readonly Range[], kind: ValueKind): readonly Interval[] {
  return ranges.flatMap(({ low, high }) =>
    low && high && compareValues(kind, low.value, high.value) <= 0 ? [{ from: low.value, to: high.value }] : [],
  );
}

/** Joins those that share a value. */
function unitedIntervals(intervals: readonly Interval[], kind: ValueKind): readonly Interval[] {
  const united: Interval[] = [];
  for (const each of [...intervals].sort((a, b) => compareValues(kind, a.from, b.from))) {
    const last = united.at(-1);
    if (last === undefined || compareValues(kind, each.from, last.to) > 0) united.push(each);
    else if (compareValues(kind, each.to, last.to) > 0) united[united.length - 1] = { from: last.from, to: each.to };
  }
  return united;
}

/** The greatest lower and the least upper bound. */
function tightestBounds(compares: readonly Compare[], kind: ValueKind): readonly Compare[] {
  const ranges = rangesIn(compares);
  const lows = ranges.flatMap(({ low }) => low ?? []);
  const highs = ranges.flatMap(({ high }) => high ?? []);
  const low = greatest(lows, (a, b) => compareStarts(kind, a, b));
  const high = greatest(highs, (a, b) => compareEnds(kind, b, a));
  return [...(low ? [comparisonOf(fieldOf(compares), { low })] : []), ...(high ? [comparisonOf(fieldOf(compares), { high })] : [])];
}

function rangesIn(compares: readonly Compare[]): readonly Range[] {
  return compares.flatMap((each) => (isEquality(each) ? [] : (rangeOf(each) ?? [])));
}

function fieldOf([first]: readonly Compare[]): FieldName {
  return first?.field ?? "";
}

function greatest(bounds: readonly Bound[], compare: (a: Bound, b: Bound) => number): Bound | undefined {
  return bounds.length === 0 ? undefined : bounds.reduce((a, b) => (compare(b, a) > 0 ? b : a));
}

/** Of two lower bounds at one value, the one that includes it begins earlier. */
function compareStarts(kind: ValueKind, a: Bound, b: Bound): number {
  return compareValues(kind, a.value, b.value) || Number(b.isIncluded) - Number(a.isIncluded);
}

/** Of two upper bounds at one value, the one that includes it ends later. */
function compareEnds(kind: ValueKind, a: Bound, b: Bound): number {
  return compareValues(kind, a.value, b.value) || Number(a.isIncluded) - Number(b.isIncluded);
}

function comparisonOf(field: FieldName, { low, high }: Range): Compare {
  if (low && high) return { kind: "compare", field, op: "between", operands: [low.value, high.value] };
  const op: Comparison = low ? (low.isIncluded ? "ge" : "gt") : high?.isIncluded ? "le" : "lt";
  const bound = low ?? high;
  return { kind: "compare", field, op, operands: bound ? [bound.value] : [] };
}
