// Tokenizes Chinese, Japanese and Korean, which have no spaces between words, into pairs of adjacent characters.

import { isLong, partUnits } from "./long-text.ts";
import { foldedWords } from "./words.ts";

/** Whether the language with this base tag is tokenized into bigrams. */
export function hasBigrams(base: string): boolean {
  return base === "zh" || base === "ja" || base === "ko";
}

/** Pairs of adjacent characters, and words of other scripts, in order: the tokens of a query. A character without a neighbour is a token. */
export function bigrams(text: string): Iterable<readonly string[]> {
  return tokens(text, pairs);
}

/** As `bigrams`, and each single character: the tokens of a stored text. A query of one character then matches inside a longer text. */
export function bigramsAndCharacters(text: string): Iterable<readonly string[]> {
  return tokens(text, (run) => (run.length === 1 ? run : [...pairs(run), ...run]));
}

type TokensOf = (run: readonly string[]) => readonly string[];

function tokens(text: string, tokensOf: TokensOf): Iterable<readonly string[]> {
  const parts = runParts(text.normalize("NFKC"), tokensOf);
  return isLong(text) ? parts : [...parts];
}

function* runParts(text: string, tokensOf: TokensOf): Generator<readonly string[]> {
  for (const [run] of text.matchAll(runsAndRest)) {
    if (!startsRun.test(run)) yield* foldedWords(run);
    else if (isLong(run)) for (const part of overlapping(run)) yield tokensOf(part);
    else yield tokensOf([...run]);
  }
}

/** Parts of a long run; each begins with the last character of the one before, so that no pair is lost. */
function* overlapping(run: string): Generator<readonly string[]> {
  let part: string[] = [];
  for (const character of run) {
    part.push(character);
    if (part.length < partUnits) continue;
    yield part;
    part = [character];
  }
  if (part.length > 1) yield part;
}

const script = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u30fc\\u3005";
const runsAndRest = new RegExp(`[${script}]+|[^${script}]+`, "gu");
const startsRun = new RegExp(`^[${script}]`, "u");

function pairs(run: readonly string[]): readonly string[] {
  return run.length === 1 ? run : run.slice(1).map((character, index) => `${run[index]}${character}`);
}
