// `@length`: the number of Unicode code points of a text, or of elements of a list.

import type { Stored } from "../../core/plugin.ts";
import type { NumberLimits } from "./range.ts";

/** `81 characters` or `4 elements`. */
export function lengthProblem(value: Stored, { min = 0, max = Number.POSITIVE_INFINITY }: NumberLimits): string | undefined {
  const isList = Array.isArray(value);
  const length = isList ? value.length : typeof value === "string" ? codePoints(value) : undefined;
  if (length === undefined || (length >= min && length <= max)) return undefined;
  return counted(length, isList ? "element" : "character");
}

/** A pair of surrogates is one. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
