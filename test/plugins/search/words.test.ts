import { describe, expect, it } from "vitest";
import { fold, words } from "../../../plugins/search/index.ts";
import fc from "../../support/properties.ts";

describe("words", () => {
  it.each([
    ["", []],
    ["!? … —", []],
    ["  The Heron, at Dawn!", ["The", "Heron", "at", "Dawn"]],
    ["one-two three_four", ["one", "two", "three_four"]],
    ["5.5 6,000 6, 000", ["5.5", "6,000", "6", "000"]],
    ["don't don’t 'quoted'", ["don't", "don’t", "quoted"]],
    ["x@y.org. a:b 1a.b a1.b a.1", ["x", "y.org", "a:b", "1a.b", "a1", "b", "a", "1"]],
    ["_ __ _a b__c", ["_a", "b__c"]],
    ["日本の映画 館", ["日", "本", "の", "映", "画", "館"]],
    ["カタカナ・テスト 한국어", ["カタカナ", "テスト", "한국어"]],
    ["กา ນ", ["ก", "า", "ນ"]],
    ["São sa\u0303o", ["São", "sa\u0303o"]],
    ["नमस्ते दुनिया", ["नमस्ते", "दुनिया"]],
    ['שלום צה"ל "כן" ג\'', ["שלום", 'צה"ל', "כן", "ג'"]],
    ["مرحبا، العالم", ["مرحبا", "العالم"]],
    ["🎬film👍🏽 5️⃣ 𝒳𠀋", ["film", "5️⃣", "𝒳", "𠀋"]],
    ["a\u200bb a\u00adb", ["a", "b", "a\u00adb"]],
    ["x² Ⅳ ①", ["x", "Ⅳ"]],
  ])("are found in %j", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it("agree with Intl.Segmenter on alphabets", () => {
    const segmenter = new Intl.Segmenter("en", { granularity: "word" });
    const character = fc.constantFrom(..."abcXYZéßñöжщωאבجद0159٣_.,;'’\"-+() \n\u0301🎬👍");
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 40 }), (text) => {
        const expected = [...segmenter.segment(text)].map(({ segment }) => segment).filter((segment) => /[\p{L}\p{N}]/u.test(segment));
        expect(words(text)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it("are in order and omit no letter or digit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        let from = 0;
        const gaps: string[] = [];
        for (const word of words(text)) {
          const at = text.indexOf(word, from);
          gaps.push(text.slice(from, at));
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + word.length;
        }
        expect(gaps.join(" ") + text.slice(from)).not.toMatch(/[\p{L}\p{Nd}]/u);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["a", 1],
    ["é", 1],
    ["a\u0301", 1],
    ["a.", 1],
    ["_", 0],
    ["\u0301", 0],
    ["日", 1_000_000],
  ])("of %j repeated a million times take no longer than their length", (unit, count) => {
    expect(words(unit.repeat(1_000_000))).toHaveLength(count);
  });
});

describe("fold", () => {
  it.each([
    ["HERON", "heron"],
    ["São", "são"],
    ["SA\u0303O", "são"],
    ["ＡＢＣ１", "abc1"],
    ["ﬁn", "fin"],
    ["Straße", "straße"],
  ])("turns %s into %s", (word, folded) => {
    expect(fold(word)).toBe(folded);
  });

  it("keeps accents", () => {
    expect(fold("é")).not.toBe(fold("e"));
  });
});
