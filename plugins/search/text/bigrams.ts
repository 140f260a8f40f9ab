// Tokenizes Chinese, Japanese and Korean, which have no spaces between words, into pairs of adjacent characters.

import { foldedWords } from "./words.ts";

/** Whether the language with this base tag is tokenized into bigrams. */
export function hasBigrams(base: string): boolean {
  return base === "zh" || base === "ja" || base === "ko";
}

/** Pairs of adjacent characters, and words of other scripts, in order: the tokens of a query. A character without a neighbour is a token. */
export function bigrams(text: string): readonly string[] {
  return tokens(text, pairs);
}

/** As `bigrams`, and each single character: the tokens of a stored text. A query of one character then matches inside a longer text. */
export function bigramsAndCharacters(text: string): readonly string[] {
  return tokens(text, (run) => (run.length === 1 ? run : [...pairs(run), ...run]));
}

function tokens(text: string, tokensOf: (run: readonly string[]) => readonly string[]): readonly string[] {
  const runs = text.normalize("NFKC").match(runsAndRest) ?? [];
  return runs.flatMap((run) => (startsRun.test(run) ? tokensOf([...run]) : foldedWords(run)));
}

const script = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u30fc\\u3005";
const runsAndRest = new RegExp(`[${script}]+|[^${script}]+`, "gu");
const startsRun = new RegExp(`^[${script}]`, "u");

function pairs(run: readonly string[]): readonly string[] {
  return run.length === 1 ? run : run.slice(1).map((character, index) => `${run[index]}${character}`);
}
