// `term`: words in any order, ignoring case. `allofterms: ""` matches empty texts; a query of punctuation matches nothing.

import type { IndexKind } from "../ground/kind.ts";
import { terms } from "../text/analyzer.ts";
import { textIndex, tokensOperator } from "./tokens.ts";

export const term: IndexKind = {
  name: "term",
  fits: ["String"],
  defaultFor: ["String"],
  search: (target) => {
    const { id, words, findable } = terms(target.field.collation);
    return {
      input: "StringTermFilter",
      builtIn: true,
      operators: { allofterms: tokensOperator(target, "all", words), anyofterms: tokensOperator(target, "any", words) },
      index: textIndex(`term@1 ${id}`, findable),
    };
  },
};
