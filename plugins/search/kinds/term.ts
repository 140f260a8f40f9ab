// `term`: whole words in any order, whatever their case. `allofterms: ""` finds empty texts; punctuation alone finds nothing.

import { terms } from "../text/analyzer.ts";
import type { IndexKind } from "./kind.ts";
import { operator, text } from "./operand.ts";
import { wordsCheck } from "./words-check.ts";

export const term: IndexKind = {
  name: "term",
  fits: ["String"],
  defaultFor: ["String"],
  search: (target) => {
    const analyzer = terms(target.field.collation);
    const question = (name: string, match: "any" | "all") =>
      operator("String", text, (query) => wordsCheck(target, { name, match, tokens: analyzer.words(query) }, analyzer));
    return {
      input: "StringTermFilter",
      builtIn: true,
      operators: { allofterms: question("allofterms", "all"), anyofterms: question("anyofterms", "any") },
    };
  },
};
