// Regular expressions of filters: `/pattern/` or `/pattern/i`, RE2's syntax, linear time whatever the pattern.

import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { assertModestPattern, assertModestProgram, QuernError } from "../../../core/plugin.ts";
import { invalid } from "../ground/operand.ts";
import { automatonOf, programOf } from "./automaton.ts";
import { deterministicTest } from "./deterministic.ts";
import { type Requirement, requiredTrigrams } from "./required-trigrams.ts";

export interface Expression {
  /** Found anywhere in `text`; `^` and `$` also match at line breaks. */
  readonly test: (text: string) => boolean;
  /** Trigrams of every text that it is found in; undefined when there are none. */
  readonly required: Requirement | undefined;
}

/**
 * The compiled expression of an operand. The last ones used are kept.
 *
 * @param written with its slashes: `/^B-\d+$/i`. A slash inside is escaped: `\/`
 */
export function expression(written: string): Expression {
  const known = kept.get(written);
  if (known !== undefined) return known;
  const { steps, ...made } = compile(written);
  kept.set(written, made, { size: steps + leastSize });
  return made;
}

/** Steps of all expressions that are kept. */
const maxKeptSteps = 200_000;
const leastSize = 40;
const kept = new LRUCache<string, Expression>({ maxSize: maxKeptSteps });

function compile(written: string): Expression & { readonly steps: number } {
  const { pattern, flags } = parts(written);
  if (flags !== "" && flags !== "i") throw invalid(`Invalid regexp modifier: ${flags}`);
  assertModestPattern(pattern);
  try {
    const compiled = RE2JS.compile(pattern, flags === "i" ? RE2JS.MULTILINE | RE2JS.CASE_INSENSITIVE : RE2JS.MULTILINE);
    assertModestProgram(compiled.programSize());
    const program = programOf(compiled);
    const automaton = automatonOf(program);
    const test = deterministicTest(program) ?? ((text: string) => compiled.test(text));
    return { test, steps: compiled.programSize(), required: automaton && requiredTrigrams(automaton) };
  } catch (cause) {
    throw cause instanceof QuernError ? cause : invalid(cause instanceof Error ? cause.message : String(cause));
  }
}

function parts(written: string): { readonly pattern: string; readonly flags: string } {
  const end = closingSlash(written);
  if (end === undefined)
    throw invalid(`Function 'regexp' requires 2 arguments, but got 1 ([${written}]): write the expression between slashes, "/.../"`);
  const flags = written.slice(end + 1);
  if (flags.includes("/")) throw invalid(`a slash inside the regular expression ${written} must be escaped: \\/`);
  return { pattern: written.slice(1, end), flags };
}

/** The first slash after the opening one that no backslash escapes. */
function closingSlash(written: string): number | undefined {
  if (!written.startsWith("/")) return undefined;
  for (let at = 1; at < written.length; at++) {
    if (written[at] === "\\") at++;
    else if (written[at] === "/") return at;
  }
  return undefined;
}
