// What the kinds of texts have in common: an index by tokens, and the lookups that their operators become.

import { none, type Predicate } from "../../../core/index.ts";
import type { SearchTarget, TokenSearch } from "./kind.ts";

/**
 * An index of texts by the tokens they are found by.
 *
 * @param id name and version of the tokenizer with all that its tokens depend on
 * @param tokensOf the tokens of one text, repeats allowed
 */
export function textIndex(id: string, tokensOf: (text: string) => Iterable<string>): TokenSearch {
  return { by: "tokens", id, tokens: (value) => (typeof value === "string" ? [...new Set(tokensOf(value))] : []) };
}

/** The nodes with any, or all, of `tokens`; on a list field each may come from another value. No tokens find nothing. */
export function lookup({ index }: SearchTarget, match: "any" | "all", tokens: Iterable<string>): Predicate {
  const distinct = [...new Set(tokens)].sort();
  return distinct.length === 0 ? none : { kind: "lookup", index, match, tokens: distinct };
}
