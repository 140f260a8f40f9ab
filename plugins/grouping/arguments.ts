// The arguments of groups as data: keys and measures for storage, and what is compared of the finished groups.

import {
  type Comparison,
  compareValues,
  comparison,
  type Group,
  type GroupKey,
  type LinkField,
  type Measure,
  type OutputMeasure,
  QuernError,
  type Value,
  type ValueField,
  type ValueKind,
  type Variables,
} from "../../core/plugin.ts";

/** What groups of the nodes of a type show. */
export interface GroupShape {
  /** By which they are grouped, by name. */
  readonly keys: ReadonlyMap<string, ValueField | LinkField>;
  readonly measures: ReadonlyMap<string, OutputMeasure>;
}

/** Its place among `measures`, to which it is added when it is new. */
export function placeOf(measure: Measure, measures: Measure[]): number {
  const place = measures.findIndex((each) => each.kind === measure.kind && fieldOf(each) === fieldOf(measure));
  return place >= 0 ? place : measures.push(measure) - 1;
}

function fieldOf(measure: Measure): string | undefined {
  return measure.kind === "count" ? undefined : measure.field;
}

/** A key with the field that it groups by. */
export interface AskedKey extends GroupKey {
  readonly of: ValueField | LinkField;
}

export interface AskedGroups {
  readonly by: readonly AskedKey[];
  /** Those given, and after them those that `having` and `order` compare. */
  readonly measures: readonly Measure[];
  /** `having` */
  readonly passes: (group: Group) => boolean;
  /** `order`, then the keys. */
  readonly compare: (a: Group, b: Group) => number;
  readonly offset: number;
  /** Undefined: all. */
  readonly first: number | undefined;
}

/**
 * @param selected the measures that the answer shows
 * @throws QuernError VALUE_INVALID
 */
export function readGroupArguments(given: Variables, shape: GroupShape, selected: readonly Measure[]): AskedGroups {
  const by = readKeys(given.by, shape);
  const measures = [...selected];
  const passes = readHaving(given.having, (name) => measureAt(shape.measures.get(name), measures));
  const orders = readOrder(given.order, (name) => readerOf(name, { by, shape, measures }));
  const all = [...orders, ...by.map((key, k): Ordering => ({ sign: 1, kind: kindOf(key.of), read: ({ keys }) => keys[k] }))];
  return {
    by,
    measures,
    passes,
    compare: (a, b) => {
      for (const ordering of all) {
        const outcome = compareBy(ordering, a, b);
        if (outcome !== 0) return outcome;
      }
      return 0;
    },
    offset: countOf("offset", given.offset) ?? 0,
    first: limitOf(countOf("first", given.first)),
  };
}

function invalid(message: string): QuernError {
  return new QuernError("VALUE_INVALID", message);
}

function countOf(name: string, count: unknown): number | undefined {
  if (typeof count !== "number") return undefined;
  if (count < 0) throw invalid(`"${name}" of groups is ${count}; give 0 or more`);
  return count;
}

/** As in lists of objects, 0 is no limit. */
function limitOf(count: number | undefined): number | undefined {
  return count === 0 ? undefined : count;
}

// ---- by ---------------------------------------------------------------------------------------------------------------

const units = { YEAR: "year", MONTH: "month", DAY: "day", HOUR: "hour" } as const;

function readKeys(by: unknown, { keys }: GroupShape): readonly AskedKey[] {
  const asked = (Array.isArray(by) ? by : [by]).filter(isObject).flatMap(({ field, unit }) => {
    const of = typeof field === "string" ? keys.get(field) : undefined;
    return of ? [{ of, unit: isUnit(unit) ? units[unit] : undefined }] : [];
  });
  if (asked.length === 0) throw invalid('"by" is empty; name at least one field to group by');
  for (const [i, { of, unit }] of asked.entries()) {
    if (asked.findIndex((each) => each.of === of) < i) throw invalid(`"by" has the field ${of.name} twice; group by each field once`);
    if (unit && !(of.role === "value" && of.kind === "dateTime"))
      throw invalid(`"by" gives the field ${of.name} a unit, but it is no DateTime; leave the unit out`);
  }
  return asked.map(({ of, unit }) => ({ of, field: of.stored, unit }));
}

function isUnit(unit: unknown): unit is keyof typeof units {
  return typeof unit === "string" && unit in units;
}

// ---- having -----------------------------------------------------------------------------------------------------------

interface ReadMeasure {
  readonly kind: ValueKind;
  readonly read: (group: Group) => Value | undefined;
}

/** A sum that is beyond the range of its type is compared as it is; of infinities of both signs there is no sum. */
function measureAt(output: OutputMeasure | undefined, measures: Measure[]): ReadMeasure | undefined {
  if (!output) return undefined;
  const place = placeOf(output.measure, measures);
  return { kind: output.kind, read: ({ measures: row }) => (Number.isNaN(row[place]) ? undefined : row[place]) };
}

function readHaving(having: unknown, measureOf: (name: string) => ReadMeasure | undefined): (group: Group) => boolean {
  const conditions = Object.entries(isObject(having) ? having : {}).flatMap(([name, filter]) => {
    const measure = measureOf(name);
    if (!measure || !isObject(filter)) return [];
    const { kind, read } = measure;
    return Object.entries(filter).flatMap(([operator, operand]) => {
      const holds = condition(operator, operand, kind);
      return holds ? [(group: Group) => holds(read(group))] : [];
    });
  });
  return (group) => conditions.every((holds) => holds(group));
}

const comparisons: readonly string[] = ["eq", "in", "lt", "le", "gt", "ge", "between"] satisfies Comparison[];

/** Undefined: no condition. As in filters, only `eq` compares with null. */
function condition(operator: string, operand: unknown, kind: ValueKind): ((value: Value | undefined) => boolean) | undefined {
  if (operand === undefined || !isComparison(operator)) return undefined;
  if (operand === null) return operator === "eq" ? (value) => value === undefined : undefined;
  const holds = comparison({ kind: "compare", field: "", op: operator, operands: operandsOf(operand) }, kind);
  return (value) => value !== undefined && holds(value);
}

function isComparison(operator: string): operator is Comparison {
  return comparisons.includes(operator);
}

function operandsOf(operand: unknown): readonly Value[] {
  if (Array.isArray(operand)) return operand.filter(isValue);
  return (isObject(operand) ? [operand.min, operand.max] : [operand]).filter(isValue);
}

function isValue(value: unknown): value is Value {
  return typeof value === "number" || typeof value === "string" || typeof value === "bigint";
}

// ---- order ------------------------------------------------------------------------------------------------------------

interface Ordering extends ReadMeasure {
  readonly sign: 1 | -1;
}

function readOrder(order: unknown, reader: (name: string) => ReadMeasure): readonly Ordering[] {
  const orderings: Ordering[] = [];
  for (let each = order; isObject(each); each = each.then) {
    const { asc, desc } = each;
    if (typeof asc === "string" && typeof desc === "string")
      throw invalid('An order of groups has asc and desc in one object; give each an object of its own, by "then"');
    if (typeof asc === "string") orderings.push({ sign: 1, ...reader(asc) });
    else if (typeof desc === "string") orderings.push({ sign: -1, ...reader(desc) });
  }
  return orderings;
}

interface Orderable {
  readonly by: readonly AskedKey[];
  readonly shape: GroupShape;
  readonly measures: Measure[];
}

function readerOf(name: string, { by, shape, measures }: Orderable): ReadMeasure {
  const measure = measureAt(shape.measures.get(name), measures);
  if (measure) return measure;
  const place = by.findIndex(({ of }) => of.name === name);
  const key = by[place];
  if (!key) throw invalid(`"order" names ${name}, but "by" does not; groups have an order by their keys and measures`);
  return { kind: kindOf(key.of), read: ({ keys }) => keys[place] };
}

/** Links compare by the uid of what they lead to. */
function kindOf(field: ValueField | LinkField): ValueKind {
  return field.role === "value" ? field.kind : "int";
}

function compareBy({ sign, kind, read }: Ordering, a: Group, b: Group): number {
  const [x, y] = [read(a), read(b)];
  if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
  return sign * compareValues(kind, x, y);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
