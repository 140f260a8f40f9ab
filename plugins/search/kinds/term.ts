// `term`: words in any order, ignoring case. `allofterms: ""` matches empty texts; a query of punctuation matches nothing.

import { terms } from "../text/analyzer.ts";
import type { IndexKind } from "./kind.ts";
import { operator, text } from "./operand.ts";
import { lookup, textIndex } from "./tokens.ts";

export const term: IndexKind = {
  name: "term",
  fits: ["String"],
  defaultFor: ["String"],
  search: (target) => {
    const { id, words, findable } = terms(target.field.collation);
    const question = (match: "any" | "all") => operator("String", text, (query) => lookup(target, match, words(query)));
    return {
      input: "StringTermFilter",
      builtIn: true,
      operators: { allofterms: question("all"), anyofterms: question("any") },
      index: textIndex(`term@1 ${id}`, findable),
    };
  },
};
