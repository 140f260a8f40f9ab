// The tokens of a long text, which are made in parts, are those of the text at once.

import { describe, expect, it } from "vitest";
import { stems, terms } from "../../../plugins/search/text/analyzer.ts";
import { foldCharacter, trigrams } from "../../../plugins/search/text/trigrams.ts";
import { fold, words, wordsInParts } from "../../../plugins/search/text/words.ts";

const pieces = ["mill", "Größe", "don't", "5.5", "日本語", "x.org", "ﬁne", "e\u0301te", "𝒜𝓇", "_", "カナ", "🙂", "\r\n", "-", "ab", "한국어"];
/** Pieces in an order that does not repeat soon, with and without blanks between. */
const long = Array.from(
  { length: 40_000 },
  (_, i) => `${pieces[(i * i + (i >> 3)) % pieces.length]}${i % 5 === 0 ? "" : " "}${i % 97 === 0 ? i : ""}`,
).join("");

function tokensOf(parts: Iterable<readonly string[]>): readonly string[] {
  return [...parts].flat();
}

/** Comparing sets would take the square of their size. */
function distinct(tokens: Iterable<string>): readonly string[] {
  return [...new Set(tokens)].sort();
}

describe("a long text", () => {
  it("comes in parts", () => {
    expect([...terms(undefined).words(long)].length).toBeGreaterThan(20);
    expect([...trigrams(long)].length).toBeGreaterThan(20);
  });

  it("has the words that it has at once", () => {
    expect(tokensOf(wordsInParts(long))).toEqual(words(long));
    expect(tokensOf(terms(undefined).words(long))).toEqual(words(long).map(fold));
  });

  it("has the terms that blanks separate", () => {
    expect(tokensOf(terms("ja").words(long))).toEqual(long.split(/\s+/u).filter((each) => each !== ""));
  });

  it("has the stems that its words have one by one", () => {
    const { words: stemsOf } = stems("en");
    const oneByOne = words(long).flatMap((word) => tokensOf(stemsOf(word)));
    expect(tokensOf(stemsOf(long))).toEqual(oneByOne);
  });

  it("has the trigrams of its characters", () => {
    const characters = Array.from(long, (character) => foldCharacter(character.codePointAt(0) ?? 0));
    const expected = characters.slice(2).map((character, i) => `${characters[i]}${characters[i + 1]}${character}`);
    expect(distinct(tokensOf(trigrams(long)))).toEqual(distinct(expected));
    const plain = long.replaceAll(/[^\0-\x7f]/g, "q").toLowerCase();
    const ofPlain = Array.from({ length: plain.length - 2 }, (_, i) => plain.slice(i, i + 3));
    expect(distinct(tokensOf(trigrams(plain.toUpperCase())))).toEqual(distinct(ofPlain));
  });

  it("has the bigrams of a run of any length", () => {
    const run = Array.from({ length: 30_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7) % 5_000))).join("");
    const { words: pairsOf, findable } = stems("zh");
    const expected = Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2));
    expect(tokensOf(pairsOf(`${run} mill`))).toEqual([...expected, "mill"]);
    expect(distinct(tokensOf(findable(run)))).toEqual(distinct([...expected, ...run]));
  });
});
