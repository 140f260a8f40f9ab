import { describe, expect, it } from "vitest";
import { field } from "./harness.ts";

const { find, refusal, ask } = field("String @search(by: [regexp])");
const reels = ["AB-12", "ab-13", "", "São", "日本", "line1\nline2", "O/1", "a.c", "abc", "🎬", undefined];

describe("regexp", () => {
  it.each([
    ["/^ab-\\d+$/", ["ab-13"]],
    ["/^ab-\\d+$/i", ["AB-12", "ab-13"]],
    ["/AB|ab/", ["AB-12", "ab-13", "abc"]],
    ["/.*/", reels.filter((reel) => reel)],
    ["//", reels.filter((reel) => reel)],
    ["//i", reels.filter((reel) => reel)],
    ["/^$/", []],
    ["/n/", ["line1\nline2"]],
    ["/本/", ["日本"]],
    ["/^.$/", ["🎬"]],
    ["/SÃO/i", ["São"]],
    ["/^line2$/", ["line1\nline2"]],
    ["/1.line/", []],
    ["/(?s)1.line/", ["line1\nline2"]],
    ["/O\\/1/", ["O/1"]],
    ["/a\\.c/", ["a.c"]],
    ["/a.c/", ["a.c", "abc"]],
    ["/\\p{Lu}/", ["AB-12", "São", "O/1"]],
  ])("finds the texts that match %s", (written, found) => {
    expect(find({ regexp: written }, reels)).toEqual(found);
  });

  it("is no condition when null", () => {
    expect(find({ regexp: null }, reels)).toEqual(reels);
  });

  it.each([
    ["ab", /^Function 'regexp' requires 2 arguments, but got 1 \(\[ab\]\)/],
    ["", /^Function 'regexp' requires 2 arguments/],
    ["/", /^Function 'regexp' requires 2 arguments/],
    ["/ab\\/", /^Function 'regexp' requires 2 arguments/],
    ["ab/i", /^Function 'regexp' requires 2 arguments/],
    ["/ab/x", /^Invalid regexp modifier: x$/],
    ["/ab/gi", /^Invalid regexp modifier: gi$/],
    ["/ab/ii", /^Invalid regexp modifier: ii$/],
    ["/O/1/", /slash inside .* must be escaped/],
    ["/a(/", /^error parsing regexp: missing closing \)/],
    ["/(?=a)/", /^error parsing regexp: invalid or unsupported Perl syntax/],
    ["/(a)\\1/", /^error parsing regexp: invalid escape sequence/],
    [`/${"(".repeat(5000)}${")".repeat(5000)}/`, /^error parsing regexp: expression nests too deeply/],
    ["/a{1,9999}/", /^error parsing regexp: invalid repeat count/],
  ])("refuses %j", (written, message) => {
    expect(refusal({ regexp: written })).toMatch(message);
  });

  it("refuses an expression of too many steps, which repetitions make of a short one, and takes one of as many as are allowed", () => {
    const tooLarge = expect.objectContaining({
      code: "LIMIT_REACHED",
      message: expect.stringMatching(/is too large: 250\d\d steps; at most 10000 are allowed/),
    });
    expect(() => ask({ regexp: `/${"[a-z]{500}".repeat(50)}/` })).toThrow(tooLarge);
    expect(() => ask({ regexp: `/(${"[a-z]{50}".repeat(50)}){10}/` })).toThrow(tooLarge);
    expect(() => ask({ regexp: `/${"[a-z]{500}".repeat(19)}/` })).not.toThrow();
  });

  it("matches any value of a list", () => {
    const list = field("[String] @search(by: [trigram])");
    expect(list.find({ regexp: "/^b/" }, [["a", "bc"], ["ab"], [""]])).toEqual([["a", "bc"]]);
  });

  it.each(["/(a+)+$/", "/(a*)*(a*)*(a|aa)+c/", "/(.*)*x(.*)*y/", "/(a|a)*b/i"])("takes milliseconds for the catastrophic %s", (written) => {
    const long = `${"a".repeat(50_000)}b!`;
    const before = performance.now();
    find({ regexp: written }, [long]);
    // Backtracking would not end in this century.
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  it("prints the expression", () => {
    expect(ask({ regexp: "/a/i" })).toMatchObject({ kind: "check", field: "T.f", test: { id: 'regexp@1 "/a/i"' } });
  });
});
