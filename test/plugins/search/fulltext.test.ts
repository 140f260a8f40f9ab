import { describe, expect, it } from "vitest";
import { field } from "./harness.ts";

const { find } = field("String @search(by: [fulltext])");
const blurbs = [
  "The running of the bulls and the dogs",
  "He runs a bull farm",
  "one generous universe under skies, we will now can many of us; dying",
  "São Paulo nights",
  "日本の映画",
  "",
  undefined,
];

function numbers(operand: unknown): readonly number[] {
  return find(operand, blurbs).map((blurb) => blurbs.indexOf(blurb));
}

describe("fulltext", () => {
  it.each([
    ["alloftext", "run bull", [0, 1]],
    ["alloftext", "run farm", [1]],
    ["anyoftext", "farms dog", [0, 1]],
    ["alloftext", "the run", [0, 1]],
    ["alloftext", "the", []],
    ["anyoftext", "the", []],
    ["anyoftext", "cannot we i'm", []],
    ["anyoftext", "can", [2]],
    ["anyoftext", "one", [2]],
    ["anyoftext", "many", [2]],
    ["anyoftext", "us", [2]],
    ["anyoftext", "a", []],
    ["alloftext", "general", [2]],
    ["alloftext", "university", [2]],
    ["alloftext", "sky", []],
    ["alloftext", "die", []],
    ["anyoftext", "sao", []],
    ["anyoftext", "SÃO", [3]],
    ["anyoftext", "映画", [4]],
    ["alloftext", "", []],
    ["alloftext", "!?", []],
    ["alloftext", null, [0, 1, 2, 3, 4, 5, 6]],
  ])("finds the texts of %s %j", (operator, operand, found) => {
    expect(numbers({ [operator]: operand })).toEqual(found);
  });

  it("stems and drops stop words in the language of the field", () => {
    const german = field('String @search(by: [fulltext]) @dgraph(pred: "T.f@de")');
    const titles = ["Die Häuser am Fluss", "Ein Haus und Wege", "Hausboot"];
    expect(german.find({ alloftext: "haus" }, titles)).toEqual(["Die Häuser am Fluss", "Ein Haus und Wege"]);
    expect(german.find({ anyoftext: "hauser" }, titles)).toEqual(["Die Häuser am Fluss", "Ein Haus und Wege"]);
    expect(german.find({ anyoftext: "die und am" }, titles)).toEqual([]);
    const french = field('String @search(by: [fulltext]) @dgraph(pred: "T.f@fr-CA")');
    expect(french.find({ alloftext: "la maison" }, ["Les maisons du fleuve", "maisonnette"])).toEqual(["Les maisons du fleuve"]);
  });

  it.each([
    ["ar", "الكتاب", "كتاب"],
    ["da", "husene", "hus"],
    ["es", "gatos", "gato"],
    ["fi", "taloissa", "talo"],
    ["hi", "लड़कियों", "लड़की"],
    ["hu", "házak", "ház"],
    ["it", "gatti", "gatto"],
    ["nl", "boeken", "boek"],
    ["no", "husene", "hus"],
    ["pt", "gatos", "gato"],
    ["ro", "copiilor", "copii"],
    ["ru", "книгами", "книга"],
    ["sv", "husen", "hus"],
    ["tr", "kitaplar", "kitap"],
  ])("%s: %s and %s are one word, unlike in Polish, which has no stemmer", (tag, one, other) => {
    const ask = (language: string) => field(`String @search(by: [fulltext]) @dgraph(pred: "T.f@${language}")`).find({ alloftext: other }, [one]);
    expect(ask(tag)).toEqual([one]);
    expect(ask("pl")).toEqual([]);
  });

  it("finds Chinese, Japanese and Korean by pairs of characters, and by a single one", () => {
    const japanese = field('String @search(by: [fulltext]) @dgraph(pred: "T.f@ja")');
    const titles = ["日本の映画 Tokyo", "本日", "画"];
    expect(japanese.find({ alloftext: "日本" }, titles)).toEqual(["日本の映画 Tokyo"]);
    expect(japanese.find({ alloftext: "映画の" }, titles)).toEqual([]);
    expect(japanese.find({ alloftext: "画" }, titles)).toEqual(["日本の映画 Tokyo", "画"]);
    expect(japanese.find({ alloftext: "TOKYO 映画" }, titles)).toEqual(["日本の映画 Tokyo"]);
  });
});

describe("ngram", () => {
  const credits = ["quick brown fox jumps over lazy dogs", "brown fox", "the quick brown", "fox brown", "", undefined];
  const ngram = field("String @search(by: [ngram])");
  it.each([
    ["brown fox", [0, 1]],
    ["foxes jumping", [0]],
    ["the brown", [0, 1, 2, 3]],
    ["quick brown fox", [0]],
    ["quick fox", []],
    ["quick brown fox jumps", [0]],
    ["quick brown fox jumps cat", [0]],
    ["quick brown cat jumps over", []],
    ["the", []],
    ["", []],
    [null, [0, 1, 2, 3, 4, 5]],
  ])("finds words that follow one another: %j", (query, found) => {
    expect(ngram.find({ ngram: query }, credits).map((credit) => credits.indexOf(credit))).toEqual(found);
  });

  it("does not run from one value of a list into the next", () => {
    expect(
      field("[String] @search(by: [ngram])").find({ ngram: "brown fox" }, [
        ["quick brown", "fox jumps"],
        ["x", "brown fox"],
      ]),
    ).toEqual([["x", "brown fox"]]);
  });
});
