// Chinese, Japanese and Korean by pairs of neighbouring characters, as there are no blanks to split at.

import { foldedWords } from "./words.ts";

export function hasBigrams(base: string): boolean {
  return base === "zh" || base === "ja" || base === "ko";
}

/**
 * Pairs of neighbouring characters, and whole words of other scripts, in order. A character without neighbour is itself.
 *
 * @param withSingles adds each character by itself, so that a query of one character finds it inside a longer text
 */
export function bigrams(text: string, withSingles: boolean): readonly string[] {
  const runs = text.normalize("NFKC").match(runsAndRest) ?? [];
  return runs.flatMap((run) => (startsRun.test(run) ? pairs(run, withSingles) : foldedWords(run)));
}

const script = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u30fc\\u3005";
const runsAndRest = new RegExp(`[${script}]+|[^${script}]+`, "gu");
const startsRun = new RegExp(`^[${script}]`, "u");

function pairs(run: string, withSingles: boolean): readonly string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  const both = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  return withSingles ? [...both, ...characters] : both;
}
