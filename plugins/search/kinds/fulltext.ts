// `fulltext`: words by their stems, in any order, without stop words. A query of stop words alone finds nothing.

import { stems } from "../text/analyzer.ts";
import type { IndexKind } from "./kind.ts";
import { operator, text } from "./operand.ts";
import { wordsCheck } from "./words-check.ts";

export const fulltext: IndexKind = {
  name: "fulltext",
  fits: ["String"],
  search: (target) => {
    const analyzer = stems(target.field.collation);
    const question = (name: string, match: "any" | "all") =>
      operator("String", text, (query) => wordsCheck(target, { name, match, tokens: analyzer.words(query) }, analyzer));
    return {
      input: "StringFullTextFilter",
      builtIn: true,
      operators: { alloftext: question("alloftext", "all"), anyoftext: question("anyoftext", "any") },
    };
  },
};
