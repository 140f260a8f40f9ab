// Analyzers: `terms` splits a text into words, `stems` also reduces them to stems.

import { bigrams, bigramsAndCharacters, hasBigrams } from "./bigrams.ts";
import { baseLanguage, rootsOf } from "./languages.ts";
import { isLong, partUnits } from "./long-text.ts";
import { foldedWords } from "./words.ts";

export interface Analyzer {
  /** Identifies the analyzer. Analyzers with different ids give different tokens. */
  readonly id: string;
  /** The tokens of a query, in order, with repeats; those of a long one in parts. */
  readonly words: (text: string) => Parts;
  /** The tokens of a stored text: its words, and in some languages more. */
  readonly findable: (text: string) => Parts;
}

/** Tokens, a part after the other. */
export type Parts = Iterable<readonly string[]>;

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
  const termsOf = (text: string): Parts => (text === "" ? [[""]] : split(text));
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
  const rooted = (words: readonly string[]) => words.map(root).filter(isNotEmpty);
  const stemsOf = (text: string): Parts => {
    const parts = foldedWords(text);
    return isLong(text) ? mapped(parts, rooted) : [...parts].map(rooted);
  };
  return { id: base, words: stemsOf, findable: stemsOf };
}

function* mapped(parts: Parts, map: (part: readonly string[]) => readonly string[]): Generator<readonly string[]> {
  for (const part of parts) yield map(part);
}

function isNotEmpty(text: string): boolean {
  return text !== "";
}

function betweenBlanks(text: string): Parts {
  return isLong(text) ? betweenBlanksInParts(text) : [separated(text)];
}

function* betweenBlanksInParts(text: string): Generator<readonly string[]> {
  const blank = /\s/gu;
  for (let from = 0; from < text.length; ) {
    blank.lastIndex = from + partUnits;
    const to = blank.exec(text)?.index ?? text.length;
    yield separated(text.slice(from, to));
    from = to;
  }
}

function separated(text: string): readonly string[] {
  return text.split(/\s+/u).filter(isNotEmpty);
}
