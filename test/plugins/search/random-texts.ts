// Random texts that share words and runs of letters, and questions that some of them answer.

import fc from "../../support/properties.ts";

/** Hard ones among them: accents in two spellings, letters with several cases, right to left, no blanks between, joined emoji, very long. */
const pool = [
  ..."the running runs bull Bulls CAFE café cafe\u0301 straße STRASSE ẞ \u212aelvin kelvin \u017fun Sun İstanbul ı Ω\u2126 \u0390\u1fd3 \ufb05\ufb06".split(
    " ",
  ),
  ..."日本 日本語の映画 映画 한국어 שלום عالم العالم किताब สวัสดีครับ 🎬 👨‍👩‍👧 é\u0301\u0327 don't three_four 6,000 x@y.org O/1 a.c -- !? Häuser Haus".split(
    " ",
  ),
  `${"long".repeat(80)}`,
  "q".repeat(199),
  "q".repeat(200),
  "q".repeat(201),
];
const separators = [" ", " ", " ", "-", "\n", ", ", "\u00a0", "\u200d", "\u200f", ""];

const fromPool = fc.array(fc.tuple(fc.constantFrom(...pool), fc.constantFrom(...separators)), { maxLength: 7 }).map((parts) => parts.flat().join(""));

export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fromPool },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(..."abAB c"), maxLength: 10 }) },
);

/** A text of its own, or parts of stored ones. */
export function anyQuery(texts: () => readonly string[]): fc.Arbitrary<string> {
  const part = cut(texts);
  return fc.oneof(
    anyText,
    part,
    fc.tuple(part, fc.constantFrom(...separators), part).map((parts) => parts.join("")),
  );
}

/** A run of characters of a stored text. */
function cut(texts: () => readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 12 })).map(([which, from, length]) => {
    const all = texts();
    const characters = Array.from(all[which % Math.max(1, all.length)] ?? "");
    const start = from % Math.max(1, characters.length);
    return characters.slice(start, start + length).join("");
  });
}

export interface Pattern {
  readonly pattern: string;
  readonly ignoresCase: boolean;
}

/** Expressions made of runs of stored texts by all that the syntax has. */
export function anyPattern(texts: () => readonly string[]): fc.Arbitrary<Pattern> {
  const literal = cut(texts).map(quoted);
  const blurred = fc
    .tuple(cut(texts), fc.infiniteStream(fc.nat(24)))
    .map(([text, choices]) => Array.from(text, (character) => blur(character, choices.next().value)).join(""));
  const atom = fc.oneof(
    literal,
    blurred,
    fc.constantFrom(".", ".*", "\\w+", "[a-f]", "[^a]", "\\d", "\\p{L}{2}", "\\b", "^", "$", "(?i)B", "(?s:.)", "\\pN?", "[[:alpha:]]"),
  );
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      atom,
      fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => a + b),
      fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => `(?:${a}|${b})`),
      fc.tuple(tie("tree"), tie("tree"), tie("tree")).map((branches) => `(${branches.join("|")})`),
      fc.tuple(tie("tree"), fc.constantFrom("?", "*", "+", "{2}", "{0,2}", "{1,}", "*?")).map(([a, times]) => `(?:${a})${times}`),
      fc.tuple(tie("tree"), fc.constantFrom("i", "-i", "s", "U")).map(([a, flag]) => `(?${flag}:${a})`),
    ),
  }));
  return fc.record({ pattern: tree, ignoresCase: fc.boolean() });
}

function quoted(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

/** Mostly the character itself, sometimes something wider that it meets. */
function blur(character: string, choice: number): string {
  const plain = quoted(character);
  const one = plain.length > 1 || character === "-" || character === "]" || character === "^" ? `(?:${plain}|x)` : `[${character}x-z]`;
  const others = [
    ".",
    `${plain}?`,
    `${plain}+`,
    `${plain}*`,
    one,
    `(?:${plain}|日本|bull)`,
    `(?:${plain}){1,3}`,
    plain.toUpperCase() === plain ? plain : `(?i:${plain})`,
  ];
  return others[choice] ?? plain;
}
