// `@pattern`: texts in which an RE2 expression is found. Its time is linear in the text, whatever the expression.

import { RE2JS } from "re2js";
import { assertModestPattern, QuernError, type Value } from "../../core/plugin.ts";
import { codePoints, counted } from "./length.ts";

/** The time for a text grows with this times its length. */
const maxProgramSize = 1_000;
/** UTF-16 units: a longer text would stop everything else for too long. */
const maxJudgedLength = 65_536;

/** The expression, or a text: why there is none. `^` and `$` mean the whole text; `(?m)` makes them mean lines. */
export function compiledPattern(regexp: string): RE2JS | string {
  try {
    assertModestPattern(regexp);
    const compiled = RE2JS.compile(regexp);
    if (compiled.programSize() <= maxProgramSize) return compiled;
    return `has a regular expression of ${compiled.programSize()} steps; ${maxProgramSize} are allowed. Write shorter repetitions, or use @length.`;
  } catch (cause) {
    if (cause instanceof QuernError) return `has a regular expression that cannot be used. ${cause.message}`;
    return `has an invalid regular expression: ${cause instanceof Error ? cause.message : String(cause)}. RE2 has no backreferences and no lookaround.`;
  }
}

/** `a text of 12 characters`: the one that does not match. */
export function patternProblem(value: Value, pattern: RE2JS): string | undefined {
  if (typeof value !== "string") return undefined;
  const isLong = value.length > maxJudgedLength;
  if (!isLong && pattern.test(value)) return undefined;
  return `a text of ${counted(codePoints(value), "character")}${isLong ? ` (${maxJudgedLength} are allowed)` : ""}`;
}
