// Operators that compare values as the field's kind orders them: `eq in` for equality alone, `le lt ge gt between` beside them.

import { type Compare, type Comparison, none, normalizeDateTime, not, type Predicate, type Value, type ValueField } from "../../../core/index.ts";
import type { Operator, Operators } from "./kind.ts";
import { invalid, list, members, operator } from "./operand.ts";

/** `eq` and `in`, on operands of type `takes`. */
export function equality(field: ValueField, takes: string): Operators {
  return {
    eq: { takes, predicate: (operand) => equalOrMissing(field, operand) },
    in: operator(`[${takes}]`, list, (operands) => oneOf(field, operands)),
  };
}

/** All comparisons. `range` is the input that `between` takes, or `takes` itself where there is none. */
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

/** `eq: null` asks for nodes without a value; an operand that is not given asks for nothing. */
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

/** An enum's `between` takes one value, which is then both bounds. */
function bounds(field: ValueField, operand: unknown): readonly [Value, Value] {
  const { min, max } = typeof operand === "object" ? members(operand) : { min: operand, max: operand };
  return [comparable(field, min), comparable(field, max)];
}

function compare(field: ValueField, op: Comparison, operands: readonly Value[]): Compare {
  return { kind: "compare", field: field.stored, op, operands };
}

/** The operand as a value of the field's kind. Dates arrive as written. */
function comparable(field: ValueField, operand: unknown): Value {
  if (field.kind === "dateTime") return dateTime(operand);
  if (typeof operand === "string" || typeof operand === "number" || typeof operand === "boolean" || typeof operand === "bigint") return operand;
  throw invalid(`${String(operand)} cannot be compared`);
}

/** Numbers, unix seconds in inputs, are refused in filters. */
function dateTime(operand: unknown): string {
  const normalized = typeof operand === "string" ? normalizeDateTime(operand) : undefined;
  if (normalized !== undefined) return normalized;
  throw invalid(`${JSON.stringify(String(operand))} is not a date-time like "2031-04-09T06:00:00Z", "2031-04-09", "2031-04" or "2031"`);
}
