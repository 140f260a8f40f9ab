import { describe, expect, it } from "vitest";
import { field } from "./harness.ts";

const { find } = field("String @search(by: [term])");
const taglines = [
  "The Heron, at Dawn!",
  "heron DAWN dawn",
  "",
  "São Paulo",
  "日本の映画 館",
  "one-two three_four 6,000 x@y.org",
  "🎬 film",
  "!?",
  undefined,
];

describe("term", () => {
  it.each([
    ["allofterms", "dawn heron", ["The Heron, at Dawn!", "heron DAWN dawn"]],
    ["allofterms", "the heron", ["The Heron, at Dawn!"]],
    ["allofterms", "heron owl", []],
    ["anyofterms", "owl  HERON ", ["The Heron, at Dawn!", "heron DAWN dawn"]],
    ["anyofterms", "her", []],
    ["anyofterms", "sao", []],
    ["anyofterms", "SÃO", ["São Paulo"]],
    ["anyofterms", "sa\u0303o", ["São Paulo"]],
    ["allofterms", "日本", ["日本の映画 館"]],
    ["anyofterms", "本棚", ["日本の映画 館"]],
    ["allofterms", "本棚", []],
    ["anyofterms", "two 6,000", ["one-two three_four 6,000 x@y.org"]],
    ["anyofterms", "one-two", ["one-two three_four 6,000 x@y.org"]],
    ["anyofterms", "three four 6 000 org", []],
    ["anyofterms", "🎬", []],
    ["allofterms", "film 🎬", ["🎬 film"]],
    ["allofterms", "", [""]],
    ["anyofterms", "", [""]],
    ["allofterms", "!?", []],
    ["anyofterms", "  ", []],
    ["allofterms", null, taglines],
    ["anyofterms", undefined, taglines],
  ])("finds the texts of %s %j", (operator, operand, found) => {
    expect(find({ [operator]: operand }, taglines)).toEqual(found);
  });

  it("is the default kind for String", () => {
    expect(field("String @search").filter.input).toBe("StringTermFilter");
  });

  it("combines its operators by AND", () => {
    expect(find({ allofterms: "heron", anyofterms: "the owl" }, taglines)).toEqual(["The Heron, at Dawn!"]);
  });

  it("matches words in different values of a list", () => {
    const list = field("[String] @search(by: [term])");
    const values = [["Silver Screen", "Night runs"], ["Silver Night"], ["screen"]];
    expect(list.find({ allofterms: "silver runs" }, values)).toEqual([["Silver Screen", "Night runs"]]);
    expect(list.find({ anyofterms: "screen" }, values)).toEqual([["Silver Screen", "Night runs"], ["screen"]]);
  });

  it("splits languages without spaces at blanks only", () => {
    const thai = field('String @search(by: [term]) @dgraph(pred: "T.f@th")');
    expect(thai.find({ anyofterms: "สวัสดี" }, ["สวัสดี ครับ", "สวัสดีครับ"])).toEqual(["สวัสดี ครับ"]);
    const japanese = field('String @search(by: [term]) @dgraph(pred: "T.f@ja-JP")');
    expect(japanese.find({ anyofterms: "日本" }, ["日本 ABC", "日本語"])).toEqual(["日本 ABC"]);
    expect(japanese.find({ anyofterms: "abc" }, ["日本 ABC"])).toEqual([]);
  });

  it("makes a lookup, the same for equivalent operands", () => {
    const { ask } = field("String @search(by: [term])");
    expect(ask({ allofterms: "Dawn  heron" })).toEqual({ kind: "lookup", index: "T.f/term", match: "all", tokens: ["dawn", "heron"] });
    expect(ask({ allofterms: "heron, dawn dawn" })).toEqual(ask({ allofterms: "Dawn  heron" }));
    expect(ask({ anyofterms: "" })).toEqual({ kind: "lookup", index: "T.f/term", match: "any", tokens: [""] });
    expect(ask({ allofterms: "!?" })).toEqual({ kind: "none" });
  });
});
