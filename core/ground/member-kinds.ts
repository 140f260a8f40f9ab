// Checks the members of objects that authors of plugins write: whether the required ones are there, what they are, and whether a name is nearly one of them.

import { isObject } from "./is-object.ts";
import { didYouMean } from "./near-name.ts";

/** What a member may be. */
export interface MemberKind {
  readonly fits: (value: unknown) => boolean;
  /** Completes the sentence `it must be ...`. */
  readonly expected: string;
  /** The texts that it may be, of which one is suggested for another that is similar. */
  readonly words?: readonly string[];
  readonly isRequired?: true;
}

/** One entry for each member, so that the compiler reports a missing one. */
export type MemberKinds<Of> = { readonly [Name in keyof Required<Of>]: MemberKind };

export const aText: MemberKind = { fits: (value) => typeof value === "string" && value !== "", expected: "a text that is not empty" };
export const anySdl: MemberKind = { fits: (value) => typeof value === "string", expected: "SDL" };
export const aFunction: MemberKind = { fits: (value) => typeof value === "function", expected: "a function" };
export const aFlag: MemberKind = { fits: (value) => typeof value === "boolean", expected: "true or false" };
export const anObject: MemberKind = { fits: isObject, expected: "an object" };
export const aCount: MemberKind = { fits: (value) => Number.isSafeInteger(value) && Number(value) > 0, expected: "a positive whole number" };
export const texts: MemberKind = { fits: (value) => Array.isArray(value) && value.every(aText.fits), expected: "a list of texts" };
export const textsByName: MemberKind = byName({ ...aText, fits: (value) => typeof value === "string" }, "texts by name");

export function oneOf(words: readonly string[]): MemberKind {
  return { fits: (value) => typeof value === "string" && words.includes(value), expected: alternatives(words), words };
}

export function listOf(kind: MemberKind, expected: string): MemberKind {
  return { fits: (value) => Array.isArray(value) && value.every(kind.fits), expected, ...(kind.words && { words: kind.words }) };
}

export function required(kind: MemberKind): MemberKind {
  return { ...kind, isRequired: true };
}

function byName({ fits }: MemberKind, expected: string): MemberKind {
  return { fits: (value) => isObject(value) && Object.values(value).every(fits), expected };
}

function alternatives(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(words.length === 2 ? " or " : ", ");
}

/** The end of a sentence that begins with what `value` is: `has no runs; it must be "everywhere" or "once".` Undefined: nothing is wrong. */
export function problemOf(value: unknown, kinds: Readonly<Record<string, MemberKind>>): string | undefined {
  if (!isObject(value)) return "must be an object.";
  const wrong = wrongMember(value, kinds);
  if (wrong !== undefined) return wrong;
  const names = Object.keys(kinds);
  for (const name of Object.keys(value)) {
    const meant = names.includes(name) ? "" : didYouMean(name, names);
    if (meant !== "") return `has a member "${name}"${meant}`;
  }
  return undefined;
}

/** As `problemOf`, whatever other members there are. */
export function wrongMember(value: Readonly<Record<string, unknown>>, kinds: Readonly<Record<string, MemberKind>>): string | undefined {
  for (const [name, kind] of Object.entries(kinds)) {
    const problem = memberProblem(name, value[name], kind);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function memberProblem(name: string, given: unknown, { fits, expected, words, isRequired }: MemberKind): string | undefined {
  if (given === undefined) return isRequired ? `has no ${name}; it must be ${expected}.` : undefined;
  if (fits(given)) return undefined;
  const wrong = [given].flat().find((each) => typeof each === "string" && !words?.includes(each));
  return `has a wrong ${name}: it must be ${expected}${(words && typeof wrong === "string" && didYouMean(wrong, words)) || "."}`;
}
