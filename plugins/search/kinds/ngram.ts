// `ngram`: sequences of stems. A query of up to three words matches when they are adjacent; a longer one when any three of its adjacent words
// are.

import type { IndexKind } from "../ground/kind.ts";
import { type Parts, stems } from "../text/analyzer.ts";
import { textIndex, tokensOperator } from "./tokens.ts";

const longest = 3;

export const ngram: IndexKind = {
  name: "ngram",
  fits: ["String", "enum"],
  search: (target) => {
    const { id, words } = stems(target.language);
    return {
      input: "StringNgramFilter",
      builtIn: true,
      operators: { ngram: tokensOperator(target, "any", (query) => asked(words(query))) },
      index: textIndex(`ngram@1 ${id}`, (value) => stored(words(value))),
    };
  },
};

/** The sequences of a stored text. */
function stored(words: Parts): Parts {
  return sequences(words, (some) => joined(some, 1));
}

function asked(words: Parts): Parts {
  return sequences(words, (some) => joined(some, Math.min(some.length, longest)));
}

type Joined = (words: readonly string[]) => readonly string[];

function sequences(words: Parts, join: Joined): Parts {
  return Array.isArray(words) ? [join(words.flat())] : inParts(words, join);
}

/** Each part begins with the last words of the one before. */
function* inParts(parts: Parts, join: Joined): Generator<readonly string[]> {
  let words: readonly string[] = [];
  let isWhole = true;
  for (const part of parts) {
    words = [...words, ...part];
    if (words.length < longest) continue;
    yield join(words);
    words = words.slice(1 - longest);
    isWhole = false;
  }
  if (isWhole) yield join(words);
}

/** All sequences of `least` to `longest` adjacent words, joined by blanks. */
function joined(words: readonly string[], least: number): readonly string[] {
  const found: string[] = [];
  for (let start = 0; start < words.length; start++) {
    for (let length = least; length <= longest && start + length <= words.length; length++) found.push(words.slice(start, start + length).join(" "));
  }
  return found;
}
