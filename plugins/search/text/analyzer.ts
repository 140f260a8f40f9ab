// From a text to the words that searches compare: `terms` for words as they are, `stems` for their roots.

import { bigrams, hasBigrams } from "./bigrams.ts";
import { baseLanguage, rootsOf } from "./languages.ts";
import { foldedWords } from "./words.ts";

export interface Analyzer {
  /** The language and how it is treated; another id means other tokens. */
  readonly id: string;
  /** Words of a text in order, repeats included, as a query asks for them. */
  readonly words: (text: string) => readonly string[];
  /** What a stored text is found by: its words, and in some languages more. */
  readonly findable: (text: string) => readonly string[];
}

/** Languages whose words are not told apart by the annex; their terms are what blanks separate. */
const blankSeparated: ReadonlySet<string> = new Set(["zh", "ja", "th", "lo", "my", "bo", "km"]);

/**
 * Words of a text, folded. The empty text is found by the empty word, `[""]`; punctuation alone by none, `[]`.
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
  if (hasBigrams(base)) return { id: "bigrams", words: (text) => bigrams(text, false), findable: (text) => bigrams(text, true) };
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
