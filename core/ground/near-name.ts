// Offers the name somebody probably meant.

import { distance } from "fastest-levenshtein";

/** `; did you mean "storage"?` for a name close to one of `known`, else the empty text. */
export function didYouMean(name: string, known: readonly string[]): string {
  const ranked = known
    .map((each) => ({ each, away: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ away }) => away <= Math.max(1, Math.floor(name.length * 0.5)))
    .sort((a, b) => a.away - b.away);
  return ranked[0] === undefined ? "" : `; did you mean "${ranked[0].each}"?`;
}
