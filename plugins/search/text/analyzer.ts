// Analyzers: `terms` splits a text into words, `stems` also reduces them to stems.

import { bigrams, bigramsAndCharacters, hasBigrams } from "./bigrams.ts";
import { baseLanguage, rootsOf } from "./languages.ts";
import { foldedWords } from "./words.ts";

export interface Analyzer {
  /** Identifies the analyzer. Analyzers with different ids give different tokens. */
  readonly id: string;
  /** The tokens of a query, in order, with repeats. */
  readonly words: (text: string) => readonly string[];
  /** The tokens of a stored text: its words, and in some languages more. */
  readonly findable: (text: string) => readonly string[];
}

/** Languages for which the annex finds no word boundaries; their terms are separated by blanks. */
const blankSeparated: ReadonlySet<string> = new Set(["zh", "ja", "th", "lo", "my", "bo", "km"]);

/**
 * Folded words of a text. The empty text has one empty word, `[""]`; punctuation alone has none, `[]`.
 *
 * @param tag BCP 47 tag of the field, if it has one
 */
export function terms(tag: string | undefined): Analyzer {
  const blanks = tag !== undefined && blankSeparated.has(baseLanguage(tag));
  const split = blanks ? betweenBlanks : foldedWords;
  const termsOf = (text: string) => (text === "" ? [""] : split(text));
  return { id: blanks ? "blanks" : "words", words: termsOf, findable: termsOf };
}

/**
 * Stems of a text without stop words; bigrams of characters in Chinese, Japanese and Korean. The empty text has none.
 *
 * @param base tag of a language: `en`
 */
export function stems(base: string): Analyzer {
  if (hasBigrams(base)) return { id: "bigrams", words: bigrams, findable: bigramsAndCharacters };
  const root = rootsOf(base);
  const stemsOf = (text: string) => foldedWords(text).map(root).filter(isNotEmpty);
  return { id: base, words: stemsOf, findable: stemsOf };
}

function isNotEmpty(text: string): boolean {
  return text !== "";
}

function betweenBlanks(text: string): string[] {
  return text.split(/\s+/u).filter(isNotEmpty);
}
