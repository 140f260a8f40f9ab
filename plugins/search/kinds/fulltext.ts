// `fulltext`: stems in any order, without stop words. A query of only stop words matches nothing.

import type { IndexKind } from "../ground/kind.ts";
import { stems } from "../text/analyzer.ts";
import { textIndex, tokensOperator } from "./tokens.ts";

export const fulltext: IndexKind = {
  name: "fulltext",
  fits: ["String"],
  search: (target) => {
    const { id, words, findable } = stems(target.language);
    return {
      input: "StringFullTextFilter",
      builtIn: true,
      operators: { alloftext: tokensOperator(target, "all", words), anyoftext: tokensOperator(target, "any", words) },
      index: textIndex(`fulltext@1 ${id}`, findable),
    };
  },
};
