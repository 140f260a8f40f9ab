// Operators that compare by the order of the field's kind: `eq in` for equality, `le lt ge gt between` for ranges.

import { type Compare, type Comparison, none, normalizeDateTime, not, type Predicate, type Value, type ValueField } from "../../../core/plugin.ts";
import type { Operator, Operators } from "../ground/kind.ts";
import { invalid, list, members, operator } from "../ground/operand.ts";

/** `eq` and `in`, on operands of type `takes`. */
export function equality(field: ValueField, takes: string): Operators {
  return {
    eq: { takes, predicate: (operand) => equalOrMissing(field, operand) },
    in: operator(`[${takes}]`, list, (operands) => oneOf(field, operands)),
  };
}

/** All comparison operators. `range` is the input of `between`, or `takes` when there is none. */
export function ordering(field: ValueField, takes: string, range: string): Operators {
  const comparison = (op: Comparison): Operator =>
    operator(
      takes,
      (operand) => comparable(field, operand),
      (value) => compare(field, op, [value]),
    );
  return {
    ...equality(field, takes),
    le: comparison("le"),
    lt: comparison("lt"),
    ge: comparison("ge"),
    gt: comparison("gt"),
    between: operator(
      range,
      (operand) => bounds(field, operand),
      (both) => compare(field, "between", both),
    ),
  };
}

/** `eq: null` matches nodes without a value. An operand that is not given is no condition. */
export function equalOrMissing(field: ValueField, operand: unknown): Predicate | undefined {
  if (operand === undefined) return undefined;
  if (operand === null) return not({ kind: "has", field: field.stored });
  return compare(field, "eq", [comparable(field, operand)]);
}

function oneOf(field: ValueField, operands: readonly unknown[]): Predicate {
  if (operands.length === 0) return none;
  return compare(
    field,
    "in",
    operands.map((operand) => comparable(field, operand)),
  );
}

/** The `between` of an enum has one value, which is both bounds. */
function bounds(field: ValueField, operand: unknown): readonly [Value, Value] {
  const { min, max } = typeof operand === "object" ? members(operand) : { min: operand, max: operand };
  return [comparable(field, min), comparable(field, max)];
}

function compare(field: ValueField, op: Comparison, operands: readonly Value[]): Compare {
  return { kind: "compare", field: field.stored, op, operands };
}

/** Converts the operand to a value of the field's kind. Dates are still as written. */
function comparable(field: ValueField, operand: unknown): Value {
  if (field.kind === "dateTime") return dateTime(operand);
  if (typeof operand === "string" || typeof operand === "number" || typeof operand === "boolean" || typeof operand === "bigint") return operand;
  throw invalid(`${String(operand)} cannot be compared`);
}

/** Filters refuse numbers, which inputs accept as Unix seconds. */
function dateTime(operand: unknown): string {
  const normalized = typeof operand === "string" ? normalizeDateTime(operand) : undefined;
  if (normalized !== undefined) return normalized;
  throw invalid(`${JSON.stringify(String(operand))} is not a date-time like "2031-04-09T06:00:00Z", "2031-04-09", "2031-04" or "2031"`);
}
