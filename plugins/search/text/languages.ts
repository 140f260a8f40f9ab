// What each language brings to full-text search: its stop words and its stemmer. English has the classic Porter stemmer and
// the stop words of the reference; the others the Snowball stemmers.

import { stemmer as stemArabic } from "@orama/stemmers/arabic";
import { stemmer as stemDanish } from "@orama/stemmers/danish";
import { stemmer as stemDutch } from "@orama/stemmers/dutch";
import { stemmer as stemFinnish } from "@orama/stemmers/finnish";
import { stemmer as stemFrench } from "@orama/stemmers/french";
import { stemmer as stemGerman } from "@orama/stemmers/german";
import { stemmer as stemHungarian } from "@orama/stemmers/hungarian";
import { stemmer as stemHindi } from "@orama/stemmers/indian";
import { stemmer as stemItalian } from "@orama/stemmers/italian";
import { stemmer as stemNorwegian } from "@orama/stemmers/norwegian";
import { stemmer as stemPortuguese } from "@orama/stemmers/portuguese";
import { stemmer as stemRomanian } from "@orama/stemmers/romanian";
import { stemmer as stemRussian } from "@orama/stemmers/russian";
import { stemmer as stemSpanish } from "@orama/stemmers/spanish";
import { stemmer as stemSwedish } from "@orama/stemmers/swedish";
import { stemmer as stemTurkish } from "@orama/stemmers/turkish";
import { stopwords as arabic } from "@orama/stopwords/arabic";
import { stopwords as bulgarian } from "@orama/stopwords/bulgarian";
import { stopwords as danish } from "@orama/stopwords/danish";
import { stopwords as dutch } from "@orama/stopwords/dutch";
import { stopwords as english } from "@orama/stopwords/english";
import { stopwords as finnish } from "@orama/stopwords/finnish";
import { stopwords as french } from "@orama/stopwords/french";
import { stopwords as german } from "@orama/stopwords/german";
import { stopwords as greek } from "@orama/stopwords/greek";
import { stopwords as hungarian } from "@orama/stopwords/hungarian";
import { stopwords as hindi } from "@orama/stopwords/indian";
import { stopwords as indonesian } from "@orama/stopwords/indonesian";
import { stopwords as irish } from "@orama/stopwords/irish";
import { stopwords as italian } from "@orama/stopwords/italian";
import { stopwords as norwegian } from "@orama/stopwords/norwegian";
import { stopwords as portuguese } from "@orama/stopwords/portuguese";
import { stopwords as romanian } from "@orama/stopwords/romanian";
import { stopwords as russian } from "@orama/stopwords/russian";
import { stopwords as spanish } from "@orama/stopwords/spanish";
import { stopwords as swedish } from "@orama/stopwords/swedish";
import { stopwords as turkish } from "@orama/stopwords/turkish";
import { stemmer as porter } from "stemmer";
import { boundedCache } from "../bounded-cache.ts";

/** The stem of a folded word, the empty text for a stop word. */
export type Roots = (word: string) => string;

/** Words that the library counts and the reference does not; of the single letter it is the other way round. */
const contentWords: ReadonlySet<string> = new Set(["us", "will", "shall", "can", "may", "might", "must"]);

const languages: ReadonlyMap<string, Roots> = new Map([
  ["en", roots(porter, ["a", ...english.filter((word) => !contentWords.has(word))])],
  ["ar", roots(stemArabic, arabic)],
  ["da", roots(stemDanish, danish)],
  ["de", roots(stemGerman, german)],
  ["es", roots(stemSpanish, spanish)],
  ["fi", roots(stemFinnish, finnish)],
  ["fr", roots(stemFrench, french)],
  ["hi", roots(stemHindi, hindi)],
  ["hu", roots(stemHungarian, hungarian)],
  ["it", roots(stemItalian, italian)],
  ["nl", roots(stemDutch, dutch)],
  ["no", roots(stemNorwegian, norwegian)],
  ["nb", roots(stemNorwegian, norwegian)],
  ["nn", roots(stemNorwegian, norwegian)],
  ["pt", roots(stemPortuguese, portuguese)],
  ["ro", roots(stemRomanian, romanian)],
  ["ru", roots(stemRussian, russian)],
  ["sv", roots(stemSwedish, swedish)],
  ["tr", roots(stemTurkish, turkish)],
  ["bg", roots(asWritten, bulgarian)],
  ["el", roots(asWritten, greek)],
  ["ga", roots(asWritten, irish)],
  ["id", roots(asWritten, indonesian)],
]);

const unknown = roots(asWritten, []);

/** Of the language with this base tag; words as they are for tags that are not known. */
export function rootsOf(base: string): Roots {
  return languages.get(base) ?? unknown;
}

/** The base of a BCP 47 tag: `pt` of `pt-BR`. */
export function baseLanguage(tag: string): string {
  return tag.split(/[-_]/, 1)[0]?.toLowerCase() ?? tag;
}

/** Base tags of the languages that have stop words, a stemmer, or pairs of characters instead. */
export function knownLanguages(): readonly string[] {
  return [...languages.keys(), "zh", "ja", "ko"].sort();
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
