// A filter on an Int field without `@search`: what `IntFilter` has, without an index.

import { and, type Comparison, type FieldFilter, not, type Predicate, type ValueField } from "../../core/plugin.ts";

export function isSearched({ definition }: ValueField): boolean {
  return definition.directives?.some((directive) => directive.name.value === "search") ?? false;
}

export function numberFilter(field: ValueField): FieldFilter {
  return { field, input: "IntFilter", predicate: (operand) => predicate(field, operand) };
}

/** The conjunction of the given operators. `eq: null` matches nodes without a value; null has no effect on the other operators. */
function predicate(field: ValueField, operand: unknown): Predicate | undefined {
  if (typeof operand !== "object" || operand === null) return undefined;
  const conditions = Object.entries(operand).flatMap(([op, value]) => condition(field, op, value) ?? []);
  return conditions.length > 0 ? and(...conditions) : undefined;
}

function condition(field: ValueField, op: string, value: unknown): Predicate | undefined {
  const compare = (as: Comparison, operands: readonly number[]): Predicate => ({ kind: "compare", field: field.stored, op: as, operands });
  if (value === null) return op === "eq" ? not({ kind: "has", field: field.stored }) : undefined;
  if (op === "in") return compare("in", Array.isArray(value) ? value.filter((each) => typeof each === "number") : []);
  if (op === "between") return isRange(value) ? compare("between", [value.min, value.max]) : undefined;
  return isComparison(op) && typeof value === "number" ? compare(op, [value]) : undefined;
}

function isComparison(op: string): op is Comparison {
  return ["eq", "le", "lt", "ge", "gt"].includes(op);
}

function isRange(value: unknown): value is { readonly min: number; readonly max: number } {
  if (typeof value !== "object" || value === null || !("min" in value) || !("max" in value)) return false;
  return typeof value.min === "number" && typeof value.max === "number";
}
