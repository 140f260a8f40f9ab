import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { programOf } from "../../../plugins/search/text/automaton.ts";
import { deterministicTest } from "../../../plugins/search/text/deterministic.ts";
import fc from "../../support/properties.ts";

const compile = (pattern: string, flags: number = RE2JS.MULTILINE) => RE2JS.compile(pattern, flags);
const tableOf = (pattern: string, flags?: number) => deterministicTest(programOf(compile(pattern, flags)));

/** Pieces of patterns, and texts of the same few characters, so that they meet. */
const character = fc.constantFrom("a", "b", "k", "s", "ſ", "K", "é", "É", "🎬", "\n", "\r", "\u2028", "\ud83c", " ", "ß", "ẞ");
const atom = fc.oneof(
  character.filter((each) => each !== "\ud83c"),
  fc.constantFrom(".", "[ab]", "[^a]", "[a-z]", "\\w", "\\W", "\\p{L}", "(?s:.)", "(?i:k)", "a*", "(ab)+", "(a|bc)?", "b{2,3}"),
);
const pattern = fc.array(fc.oneof(atom, fc.constant("|")), { minLength: 1, maxLength: 7 }).map((parts) => parts.join(""));
const text = fc.array(character, { maxLength: 24 }).map((parts) => parts.join(""));

describe("an expression as a table", () => {
  it("matches what re2js matches", () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), fc.boolean(), (written, texts, anyCase) => {
        const flags = RE2JS.MULTILINE | (anyCase ? RE2JS.CASE_INSENSITIVE : 0);
        const compiled = compile(written, flags);
        const table = tableOf(written, flags);
        expect(texts.map((each) => table?.(each))).toEqual(texts.map((each) => compiled.test(each)));
      }),
      { numRuns: Number(process.env.QUERN_RUNS ?? 2_000) },
    );
  }, 60_000);

  it("does not support assertions such as ^ and \\b", () => {
    for (const written of ["^a", "a$", "\\ba", "a\\B"]) expect(tableOf(written)).toBeUndefined();
  });

  it("evicts states instead of growing", () => {
    // 2^12 sets of places are possible.
    const written = "(a|b)*a(a|b){12}c";
    const table = tableOf(written);
    let state = 7;
    const letters = Array.from({ length: 20_000 }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state % 3 === 0 ? "a" : "b";
    });
    const long = `${letters.join("")}x`;
    expect(table?.(long)).toBe(false);
    expect(table?.(`${long.slice(0, -1)}abbbbbbbbbbbbc`)).toBe(true);
  });
});
