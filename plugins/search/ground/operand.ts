// Reads operands: null is no condition, and an operand of the wrong type is an error.

import { type Predicate, QuernError, type Value } from "../../../core/plugin.ts";
import type { Operator } from "./kind.ts";

/** An operator for which null is no condition: all except `eq`. */
export function operator<T>(takes: string, parse: (operand: unknown) => T, predicate: (operand: T) => Predicate): Operator {
  return { takes, predicate: (operand) => (operand === null || operand === undefined ? undefined : predicate(parse(operand))) };
}

export function invalid(message: string): QuernError {
  return new QuernError("VALUE_INVALID", message);
}

export function text(operand: unknown): string {
  if (typeof operand === "string") return operand;
  throw invalid(`${String(operand)} is not a text`);
}

/** The members of an input object. */
export function members(operand: unknown): Readonly<Record<string, unknown>> {
  if (typeof operand === "object" && operand !== null && !Array.isArray(operand)) return Object.fromEntries(Object.entries(operand));
  throw invalid(`${String(operand)} is not an input object`);
}

/** The elements of a list without nulls. A single value counts as a list of one. */
export function list(operand: unknown): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  return items.filter((item) => item !== null && item !== undefined);
}

/** The strings among the values of a field. */
export function texts(values: readonly Value[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}
