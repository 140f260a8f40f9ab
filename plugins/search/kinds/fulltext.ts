// `fulltext`: stems in any order, without stop words. A query of only stop words matches nothing.

import { stems } from "../text/analyzer.ts";
import type { IndexKind } from "./kind.ts";
import { operator, text } from "./operand.ts";
import { lookup, textIndex } from "./tokens.ts";

export const fulltext: IndexKind = {
  name: "fulltext",
  fits: ["String"],
  search: (target) => {
    const { id, words, findable } = stems(target.language);
    const question = (match: "any" | "all") => operator("String", text, (query) => lookup(target, match, words(query)));
    return {
      input: "StringFullTextFilter",
      builtIn: true,
      operators: { alloftext: question("all"), anyoftext: question("any") },
      index: textIndex(`fulltext@1 ${id}`, findable),
    };
  },
};
