// Whether values have the tokens that a lookup asks for: what an index answers, where there is none.

import type { TokenIndex } from "../../contracts/layout.ts";
import type { Lookup } from "../../contracts/predicate.ts";
import type { Token, Value } from "../../ground/values/value.ts";

/** Whether `values`, those of the index's field, have any or all of the tokens. Without tokens it is false. */
export function haveTokens(values: readonly Value[], { tokens }: Pick<TokenIndex, "tokens">, wanted: Pick<Lookup, "match" | "tokens">): boolean {
  if (wanted.tokens.length === 0) return false;
  const found = new Set<Token>();
  for (const value of values) for (const token of tokens(value)) found.add(token);
  return wanted.match === "any" ? wanted.tokens.some((each) => found.has(each)) : wanted.tokens.every((each) => found.has(each));
}
