// What each language brings to full-text search: its stop words and its stemmer. English has the classic Porter stemmer and
// the stop words of the reference; the others the Snowball stemmers.

import { createRequire } from "node:module";
import { stemmer as porter } from "stemmer";
import { boundedCache } from "./bounded-cache.ts";

/** The stem of a folded word, the empty text for a stop word. */
export type Roots = (word: string) => string;

/** Words that the library counts and the reference does not; of the single letter it is the other way round. */
const contentWords: ReadonlySet<string> = new Set(["us", "will", "shall", "can", "may", "might", "must"]);

const require = createRequire(import.meta.url);

/** Each is made when it is first used: its modules are not loaded before. */
const languages: ReadonlyMap<string, () => Roots> = new Map([
  ["en", once(english)],
  ["ar", stemmed("arabic")],
  ["da", stemmed("danish")],
  ["de", stemmed("german")],
  ["es", stemmed("spanish")],
  ["fi", stemmed("finnish")],
  ["fr", stemmed("french")],
  ["hi", stemmed("indian")],
  ["hu", stemmed("hungarian")],
  ["it", stemmed("italian")],
  ["nl", stemmed("dutch")],
  ["no", stemmed("norwegian")],
  ["nb", stemmed("norwegian")],
  ["nn", stemmed("norwegian")],
  ["pt", stemmed("portuguese")],
  ["ro", stemmed("romanian")],
  ["ru", stemmed("russian")],
  ["sv", stemmed("swedish")],
  ["tr", stemmed("turkish")],
  ["bg", unstemmed("bulgarian")],
  ["el", unstemmed("greek")],
  ["ga", unstemmed("irish")],
  ["id", unstemmed("indonesian")],
]);

const unknown = roots(asWritten, []);

/** Of the language with this base tag; words as they are for tags that are not known. */
export function rootsOf(base: string): Roots {
  return languages.get(base)?.() ?? unknown;
}

/** The base of a BCP 47 tag: `pt` of `pt-BR`. */
export function baseLanguage(tag: string): string {
  return tag.split(/[-_]/, 1)[0]?.toLowerCase() ?? tag;
}

/** Base tags of the languages that have stop words, a stemmer, or pairs of characters instead. */
export function knownLanguages(): readonly string[] {
  return [...languages.keys(), "zh", "ja", "ko"].sort();
}

function english(): Roots {
  return roots(porter, ["a", ...stopWordsOf("english").filter((word) => !contentWords.has(word))]);
}

/** @param name the language in the names of the packages' modules */
function stemmed(name: string): () => Roots {
  return once(() => {
    const { stemmer }: typeof import("@orama/stemmers/german") = require(`@orama/stemmers/${name}`);
    return roots(stemmer, stopWordsOf(name));
  });
}

function unstemmed(name: string): () => Roots {
  return once(() => roots(asWritten, stopWordsOf(name)));
}

function stopWordsOf(name: string): readonly string[] {
  const { stopwords }: typeof import("@orama/stopwords/german") = require(`@orama/stopwords/${name}`);
  return stopwords;
}

function once(make: () => Roots): () => Roots {
  let made: Roots | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Roots of common words are kept, which makes a text's roots more than twice as fast. Longer words are not, because the engine holds them as views
 * of the text they were cut from, which would stay in memory whole.
 */
function roots(stem: Roots, stopWords: readonly string[]): Roots {
  const stops: ReadonlySet<string> = new Set(stopWords);
  const compute = (word: string) => (stops.has(word) ? "" : stem(word));
  const recall = boundedCache(50_000, compute);
  return (word) => (word.length < 13 ? recall(word) : compute(word));
}

function asWritten(word: string): string {
  return word;
}
