// Suggests the intended name for a misspelled one.

import { distance } from "fastest-levenshtein";

/** Longer names get no suggestion, and of the known names this many are compared: an error must not cost more than what it is about. */
const maxCharacters = 100;
const maxCompared = 5_000;

/** The end of an error message: `; did you mean "storage"?` when one of `known` is similar to `name`, otherwise an empty string. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/**
 * The most similar of `known`, by edit distance without regard to case; of equally similar names the one with the longest common start. Undefined: no name is
 * similar, or `name` has more than 100 characters.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > maxCharacters) return undefined;
  const meant = name.toLowerCase();
  const most = Math.max(1, Math.floor(name.length * 0.5));
  let best: Near | undefined;
  let compared = 0;
  for (const each of known) {
    if (compared++ === maxCompared) break;
    if (Math.abs(each.length - name.length) > (best?.away ?? most)) continue;
    const other = each.toLowerCase();
    const near = { name: each, away: distance(meant, other), start: commonStart(meant, other) };
    if (near.away <= most && (best === undefined || isNearer(near, best))) best = near;
  }
  return best?.name;
}

interface Near {
  readonly name: string;
  readonly away: number;
  /** Characters that both names begin with. */
  readonly start: number;
}

function isNearer(one: Near, other: Near): boolean {
  return one.away < other.away || (one.away === other.away && one.start > other.start);
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

const shortestMisspelled = 5;

/** Whether `name` is so near to one of `others` that it is hardly another name: one letter, or the order of the letters, differs. */
export function isMisspelled(name: string, others: readonly string[]): boolean {
  const sorted = (text: string) => [...text].sort().join("");
  return name.length >= shortestMisspelled && others.some((each) => distance(name, each) === 1 || sorted(name) === sorted(each));
}
