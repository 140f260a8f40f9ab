// `ngram`: sequences of stems. A query of up to three words matches when they are adjacent; a longer one when any three of its adjacent words
// are.

import { stems } from "../text/analyzer.ts";
import type { IndexKind } from "./kind.ts";
import { operator, text } from "./operand.ts";
import { lookup, textIndex } from "./tokens.ts";

const longest = 3;

export const ngram: IndexKind = {
  name: "ngram",
  fits: ["String", "enum"],
  search: (target) => {
    const { id, words } = stems(target.language);
    return {
      input: "StringNgramFilter",
      builtIn: true,
      operators: { ngram: operator("String", text, (query) => lookup(target, "any", asked(words(query)))) },
      index: textIndex(`ngram@1 ${id}`, (value) => sequences(words(value), 1, longest)),
    };
  },
};

function asked(stemsOfQuery: readonly string[]): readonly string[] {
  const length = Math.min(stemsOfQuery.length, longest);
  return sequences(stemsOfQuery, length, length);
}

/** All sequences of `from` to `to` adjacent words, joined by blanks. */
function sequences(words: readonly string[], from: number, to: number): readonly string[] {
  const found: string[] = [];
  for (let start = 0; start < words.length; start++) {
    for (let length = from; length <= to && start + length <= words.length; length++) found.push(words.slice(start, start + length).join(" "));
  }
  return found;
}
