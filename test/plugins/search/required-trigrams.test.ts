import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { expression } from "../../../plugins/search/text/expression.ts";
import { foldCharacter, trigrams } from "../../../plugins/search/text/trigrams.ts";
import fc from "../../support/properties.ts";
import { field } from "./harness.ts";
import { anyPattern, anyText } from "./random-texts.ts";

/** `abc & bcd | xyz`, with `(abc, abd)` for any of several; `-` where nothing is required. */
function required(written: string): string {
  const requirement = expression(written).required;
  if (requirement === undefined) return "-";
  return requirement.map((all) => all.map((any) => (any.length === 1 ? any[0] : `(${any.toSorted().join(", ")})`)).join(" & ")).join(" | ");
}

describe("trigrams that an expression requires", () => {
  it.each([
    ["/abcd/", "abc & bcd"],
    ["/ABCD/", "abc & bcd"],
    ["/abcd/i", "abc & bcd"],
    ["/ab/", "-"],
    ["/a.b.c/", "-"],
    ["//", "-"],
    ["/^$/", "-"],
    ["/abc.*xyz/", "abc & xyz"],
    ["/^abc$/", "abc"],
    ["/a(?:b)c/", "abc"],
    ["/abc?d/", "(abc, abd) & (abd, bcd)"],
    ["/ab+cd/", "(abb, abc) & bcd & (abc, bbc)"],
    ["/(abc)*/", "-"],
    ["/(abc)+/", "abc"],
    ["/(ab){2}/", "aba & bab"],
    ["/(ab){1,2}c/", "abc"],
    ["/x[0-3]y/", "(x0y, x1y, x2y, x3y)"],
    ["/x[0-9]y/", "(x0y, x1y, x2y, x3y, x4y, x5y, x6y, x7y, x8y, x9y)"],
    ["/x[^y]y/", "-"],
    ["/abc[^x]def/", "abc & def"],
    ["/ab[c-e]f/", "(abc, abd, abe) & (bcf, bdf, bef)"],
    ["/abc|abd/", "(abc, abd)"],
    ["/abcdef|xyz/", "abc & bcd & cde & def | xyz"],
    ["/abc|x/", "-"],
    ["/abc(d|ef)ghi/", "abc & (bcd, bce) & (cdg, cef) & (dgh, efg) & ghi & (dgh, fgh) & (cdg, efg) & (bcd, cef)"],
    ["/(pe|pyt)hon/", "(peh, pyt) & (eho, yth) & hon & (eho, tho) & (peh, yth)"],
    ["/\\x{212a}elvin/i", "kel & elv & lvi & vin"],
    ["/σίσυφος/i", "σίσ & ίσυ & συφ & υφο & φοσ"],
    ["/日本語/", "日本語"],
    ["/🎬🎬🎬/", "🎬🎬🎬"],
  ])("of %s are %s", (written, expected) => {
    expect(required(written)).toBe(expected);
  });

  it("are few and spread over a long literal", () => {
    const letters = "abcdefghijklmnopqrstuvwxyz";
    const all = required(`/${letters}/`).split(" & ");
    expect(all.length).toBe(12);
    expect([all[0], all.at(-1)]).toEqual(["abc", "xyz"]);
  });

  it("are computed quickly for every expression", () => {
    const before = performance.now();
    for (const written of ["/([a-z0-9]{3}){20}/", "/(a|b|c|d|e|f|g|h)*(x|y|z)*[0-9a-f]{8}/i", `/${"(a?b?)".repeat(200)}/`, `/(${letterPairs()})+/`])
      required(written);
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  function letterPairs(): string {
    const letters = [..."abcdefghijklmnop"];
    return letters.flatMap((one) => letters.map((other) => `${one}${other}x`)).join("|");
  }

  it("are in every text that it matches", () => {
    let narrowed = 0;
    fc.assert(
      fc.property(
        anyText.chain((text) =>
          fc.tuple(
            fc.constant(text),
            anyPattern(() => [text]),
          ),
        ),
        ([text, { pattern, ignoresCase }]) => {
          const { test, required } = expression(`/${pattern.replaceAll("/", "\\/")}/${ignoresCase ? "i" : ""}`);
          if (required === undefined || !test(text)) return;
          narrowed++;
          const has = new Set([...trigrams(text)].flat());
          expect(required.some((all) => all.every((any) => any.some((trigram) => has.has(trigram))))).toBe(true);
        },
      ),
      { numRuns: 3_000 },
    );
    expect(narrowed).toBeGreaterThan(100);
  }, 120_000);
});

describe("a folded character", () => {
  const cased = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => /[\p{CWCM}\p{CWCF}]/u.test(String.fromCodePoint(code)));

  it("is the same for all characters that a case-insensitive expression treats as equal", () => {
    const byVariant = new Map<number, string>();
    for (const code of cased) {
      const [variant = code] = variantsOf(code);
      const folded = byVariant.get(variant) ?? foldCharacter(code);
      byVariant.set(variant, folded);
      expect(foldCharacter(code), `U+${code.toString(16)}`).toBe(folded);
    }
  }, 60_000);

  it("is always a single character", () => {
    for (const code of cased) expect([...foldCharacter(code)], `U+${code.toString(16)}`).toHaveLength(1);
  });

  /** The smallest of the characters that match `code` comes first. */
  function variantsOf(code: number): readonly number[] {
    const { inst } = RE2JS.compile(`(?i)${RE2JS.quote(String.fromCodePoint(code))}`).re2().prog as { inst: { op: number; runes: Int32Array }[] };
    return [...(inst.find(({ op }) => op === 8 || op === 9)?.runes ?? [])];
  }
});

describe("an expression that requires no trigram", () => {
  it("is tested on every text by default", () => {
    expect(field("String @search(by: [regexp])").ask({ regexp: "/a.b/" })).not.toHaveProperty("within");
  });

  it("is refused with unindexedPatterns: refuse; other expressions are not", () => {
    const { refusal, ask } = field("String @search(by: [regexp])", "", { unindexedPatterns: "refuse" });
    expect(refusal({ regexp: "/a.b/" })).toBe(
      "the regular expression /a.b/ needs no three characters in a row, so it would be tried on every text: make it more specific",
    );
    expect(ask({ regexp: "/abc/" })).toMatchObject({ kind: "check", within: { kind: "lookup", index: "T.f/regexp", match: "any", tokens: ["abc"] } });
  });
});
