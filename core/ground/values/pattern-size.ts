// How much a regular expression makes of its text, found before it is compiled: compiling takes as long as what it makes, and cannot be stopped.

import { QuernError } from "../errors.ts";

/** Steps of a compiled expression: the time for one text grows with this times its length. Compiling so many takes some 50 ms at most. */
const maxPatternSteps = 10_000;

/** Of a class of Unicode, such as `\pL`: its ranges are copied. */
const stepsOfUnicodeClass = 25;

/**
 * An estimate of the steps that compiling takes, from the text alone: a repetition repeats what stands in front of it. Rather too high.
 *
 * @param pattern of RE2, without slashes
 */
function patternSteps(pattern: string): number {
  const groups: number[] = [];
  let whole = 0;
  let last = 0;
  for (let at = 0; at < pattern.length; ) {
    const [, counts] = repetition.at(pattern, at);
    if (counts !== undefined) {
      const times = Math.max(1, ...counts.split(",").map(Number));
      whole += last * (times - 1);
      last *= times;
      at += counts.length + 2;
      continue;
    }
    const { length, steps, opens, closes } = partAt(pattern, at);
    if (opens) groups.push(whole);
    const begun = closes ? (groups.pop() ?? 0) : whole;
    whole += steps;
    last = closes ? whole - begun : steps;
    at += length;
  }
  return whole;
}

/** `{2,30}` */
const repetition = {
  pattern: /\{(\d+(?:,\d*)?)\}/y,
  at(text: string, at: number): readonly (string | undefined)[] {
    this.pattern.lastIndex = at;
    return text[at] === "{" ? (this.pattern.exec(text) ?? []) : [];
  },
};

interface Part {
  readonly length: number;
  readonly steps: number;
  readonly opens?: true;
  readonly closes?: true;
}

const oneStep: Part = { length: 1, steps: 1 };

function partAt(pattern: string, at: number): Part {
  switch (pattern[at]) {
    case "\\":
      return pattern[at + 1] === "p" || pattern[at + 1] === "P" ? { length: 2, steps: stepsOfUnicodeClass } : { length: 2, steps: 1 };
    case "[":
      return classAt(pattern, at);
    case "(":
      return { ...oneStep, opens: true };
    case ")":
      return { ...oneStep, closes: true };
    default:
      return oneStep;
  }
}

/** `[a-z\d]`: one step, whatever it holds, but for classes of Unicode. */
function classAt(pattern: string, at: number): Part {
  let steps = 1;
  let end = at + (pattern[at + 1] === "^" ? 2 : 1);
  // A bracket at its beginning is one of its characters.
  if (pattern[end] === "]") end++;
  for (; end < pattern.length && pattern[end] !== "]"; end++) {
    if (pattern[end] !== "\\") continue;
    end++;
    if (pattern[end] === "p" || pattern[end] === "P") steps += stepsOfUnicodeClass;
  }
  return { length: end + 1 - at, steps };
}

/** @throws QuernError LIMIT_REACHED for an expression that would hold up everything else */
export function assertModestPattern(pattern: string): void {
  if (pattern.length > maxPatternSteps) throw tooLarge("characters", pattern.length);
  const steps = patternSteps(pattern);
  if (steps > maxPatternSteps) throw tooLarge("steps", steps);
}

/** @throws QuernError LIMIT_REACHED for a compiled expression */
export function assertModestProgram(steps: number): void {
  if (steps > maxPatternSteps) throw tooLarge("steps", steps);
}

function tooLarge(what: "characters" | "steps", found: number): QuernError {
  return new QuernError(
    "LIMIT_REACHED",
    `The regular expression is too large: ${found} ${what}; at most ${maxPatternSteps} are allowed. Write fewer alternatives and shorter repetitions.`,
  );
}
