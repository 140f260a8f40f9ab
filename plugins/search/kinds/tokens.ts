// Shared by the text kinds: token indexes and lookups.

import { none, type Predicate } from "../../../core/plugin.ts";
import type { SearchTarget, TokenSearch } from "./kind.ts";

/**
 * An inverted index of texts.
 *
 * @param id name and version of the tokenizer, and all options that its tokens depend on
 * @param tokensOf the tokens of one text, repeats allowed
 */
export function textIndex(id: string, tokensOf: (text: string) => Iterable<string>): TokenSearch {
  return { by: "tokens", id, tokens: (value) => (typeof value === "string" ? [...new Set(tokensOf(value))] : []) };
}

/** Matches nodes with any, or all, of `tokens`; on a list field they may come from different values. Without tokens it matches nothing. */
export function lookup({ index }: SearchTarget, match: "any" | "all", tokens: Iterable<string>): Predicate {
  const distinct = [...new Set(tokens)].sort();
  return distinct.length === 0 ? none : { kind: "lookup", index, match, tokens: distinct };
}
