// What a handler returns, as plain JSON: a function in the process may return anything.

import { type AnswerValue, WrittenNumber } from "../../../core/plugin.ts";
import { Failure } from "./failure.ts";

/** Deeper values are refused: no selection reaches them. */
const maxDepth = 64;

/** As `JSON.stringify` sees the value, with bigints: a Date is a text, undefined is null, a function is nothing. */
export function answerValue(value: unknown, depth = 0): AnswerValue {
  if (depth > maxDepth) throw new Failure(`json marshaling (of: a value nested deeper than ${maxDepth}) returned an error: it may contain itself `);
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof WrittenNumber) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return answerValue(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return value.map((item: unknown) => answerValue(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, answerValue(member, depth + 1)]));
}
