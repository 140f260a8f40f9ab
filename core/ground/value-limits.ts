// How long one value may be: in UTF-16 units, which JavaScript counts at once, and in the tokens of one index.

import { QuernError } from "./errors.ts";
import type { Limits } from "./limits.ts";

export type ValueLimits = Pick<Limits, "maxValueCharacters" | "maxTokensPerValue">;

export function tooManyCharacters(what: string, found: number, { maxValueCharacters }: ValueLimits): QuernError {
  return new QuernError(
    "LIMIT_REACHED",
    `${what} has ${found} characters; at most ${maxValueCharacters} are allowed (limits.maxValueCharacters). Send less, or in parts.`,
  );
}

export function tooManyTokens(what: string, found: number, { maxTokensPerValue }: ValueLimits): QuernError {
  return new QuernError(
    "LIMIT_REACHED",
    `${what} has ${found} tokens, such as words; at most ${maxTokensPerValue} are allowed (limits.maxTokensPerValue). Send less, or in parts.`,
  );
}

/** A tokenizer makes a few tokens of a character at most: those of a shorter text are not counted, which would tokenize it once more. */
const tokensOfCharacter = 4;

/** A text of so many units is within the limits. */
export function unitsAlwaysAllowed({ maxValueCharacters, maxTokensPerValue }: ValueLimits): number {
  return Math.min(maxValueCharacters, Math.floor(maxTokensPerValue / tokensOfCharacter));
}

/** A text in an input, and the way to it. */
export interface LongText {
  readonly path: readonly (string | number)[];
  readonly length: number;
}

/** The first text of more than `most` units in an input. */
export function longTextIn(input: unknown, most: number, path: LongText["path"] = []): LongText | undefined {
  if (typeof input === "string") return input.length > most ? { path, length: input.length } : undefined;
  if (typeof input !== "object" || input === null) return undefined;
  const members = Array.isArray(input) ? input.entries() : Object.entries(input);
  for (const [key, member] of members) {
    const found = longTextIn(member, most, [...path, key]);
    if (found) return found;
  }
  return undefined;
}

/** `input[0].title` */
export function pathText(path: LongText["path"]): string {
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${key}`)).join("");
}
