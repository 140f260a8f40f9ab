// Suggests the intended name for a misspelled one.

import { distance } from "fastest-levenshtein";

/** The end of an error message: `; did you mean "storage"?` when one of `known` is similar to `name` by edit distance, otherwise an empty string. */
export function didYouMean(name: string, known: readonly string[]): string {
  const ranked = known
    .map((each) => ({ each, away: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ away }) => away <= Math.max(1, Math.floor(name.length * 0.5)))
    .sort((a, b) => a.away - b.away);
  return ranked[0] === undefined ? "" : `; did you mean "${ranked[0].each}"?`;
}

const shortestMisspelled = 5;

/** Whether `name` is so near to one of `others` that it is hardly another name: one letter, or the order of the letters, differs. */
export function isMisspelled(name: string, others: readonly string[]): boolean {
  const sorted = (text: string) => [...text].sort().join("");
  return name.length >= shortestMisspelled && others.some((each) => distance(name, each) === 1 || sorted(name) === sorted(each));
}
