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

export interface Language {
  readonly isStopWord: (word: string) => boolean;
  readonly stem: (word: string) => string;
}

/** Words that the library counts and the reference does not; of the single letter it is the other way round. */
const contentWords: ReadonlySet<string> = new Set(["us", "will", "shall", "can", "may", "might", "must"]);

const languages: ReadonlyMap<string, Language> = new Map([
  ["en", language(porter, ["a", ...english.filter((word) => !contentWords.has(word))])],
  ["ar", language(stemArabic, arabic)],
  ["da", language(stemDanish, danish)],
  ["de", language(stemGerman, german)],
  ["es", language(stemSpanish, spanish)],
  ["fi", language(stemFinnish, finnish)],
  ["fr", language(stemFrench, french)],
  ["hi", language(stemHindi, hindi)],
  ["hu", language(stemHungarian, hungarian)],
  ["it", language(stemItalian, italian)],
  ["nl", language(stemDutch, dutch)],
  ["no", language(stemNorwegian, norwegian)],
  ["nb", language(stemNorwegian, norwegian)],
  ["nn", language(stemNorwegian, norwegian)],
  ["pt", language(stemPortuguese, portuguese)],
  ["ro", language(stemRomanian, romanian)],
  ["ru", language(stemRussian, russian)],
  ["sv", language(stemSwedish, swedish)],
  ["tr", language(stemTurkish, turkish)],
  ["bg", language(asWritten, bulgarian)],
  ["el", language(asWritten, greek)],
  ["ga", language(asWritten, irish)],
  ["id", language(asWritten, indonesian)],
]);

const unknown = language(asWritten, []);

/** The language of a base tag; one without stop words and stemmer for tags that are not known. */
export function languageOf(base: string): Language {
  return languages.get(base) ?? unknown;
}

/** The base of the BCP 47 tag of a field, English where it has none. */
export function baseLanguage(tag: string | undefined): string {
  return tag?.split(/[-_]/, 1)[0]?.toLowerCase() ?? "en";
}

function language(stem: (word: string) => string, stopWords: readonly string[]): Language {
  const stops: ReadonlySet<string> = new Set(stopWords);
  return { isStopWord: (word) => stops.has(word), stem: remembered(stem) };
}

/**
 * Stems of common words, ten times as fast as computing them. Longer words are not kept: the engine holds them as views of the
 * text they were cut from, which would stay in memory whole.
 */
function remembered(stem: (word: string) => string): (word: string) => string {
  const recall = boundedCache(20_000, stem);
  return (word) => (word.length < 13 ? recall(word) : stem(word));
}

function asWritten(word: string): string {
  return word;
}
