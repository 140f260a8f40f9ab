// Whether values have the tokens that a lookup asks for: what an index answers, where there is none.

import type { TokenIndex } from "../../contracts/layout.ts";
import type { Lookup } from "../../contracts/predicate.ts";
import type { Token, Value } from "../../ground/values/value.ts";

/** A test whether values of the index's field have any or all of the tokens. Without tokens it is false. */
export function tokensTest(
  { tokens }: Pick<TokenIndex, "tokens">,
  { match, tokens: wanted }: Pick<Lookup, "match" | "tokens">,
): (values: readonly Value[]) => boolean {
  const asked: ReadonlySet<Token> = new Set(wanted);
  return (values) => {
    const met = new Set<Token>();
    for (const value of values) {
      for (const token of tokens(value)) {
        if (!asked.has(token)) continue;
        if (match === "any") return true;
        met.add(token);
      }
    }
    return asked.size > 0 && met.size === asked.size;
  };
}
