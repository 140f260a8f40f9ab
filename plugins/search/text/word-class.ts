// The part each character plays where words begin and end: the Word_Break property of Unicode Standard Annex 29, computed
// from the properties that regular expressions know.

export const other = 0;
export const letter = 1;
export const digit = 2;
export const katakana = 3;
/** Joins what stands around it: `three_four`. */
export const connector = 4;
/** Joins two letters: `a:b`. */
export const betweenLetters = 5;
/** Joins two digits: `6,000`. */
export const betweenDigits = 6;
/** Joins two letters or two digits: `y.org`, `don't`, `5.5`. */
export const betweenAlike = 7;
/** Belongs to the character before it. */
export const mark = 8;
/** A word of its own: letters of scripts without spaces between words. */
export const single = 9;

/** Later lines win. Two characters more, `"` and `'`, have rules of their own beside Hebrew letters. */
const classes: readonly (readonly [number, RegExp])[] = [
  [
    letter,
    /[\p{Alphabetic}\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e\u058a\u05f3\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b]/u,
  ],
  [
    single,
    /[\p{Ideographic}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Ahom}]/u,
  ],
  // Punctuation, digits and marks of these scripts are what they are elsewhere.
  [other, /[\p{P}\p{S}\p{No}]/u],
  [letter, /(?=\p{So})\p{Alphabetic}/u],
  [katakana, /[\p{Script=Katakana}\u3031-\u3035\u309b\u309c\u30a0\u30fc\uff70]/u],
  [digit, /[\p{Nd}\u066b]/u],
  [connector, /[\p{Pc}\u202f]/u],
  [betweenLetters, /[:\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a]/u],
  [betweenDigits, /[,;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b]/u],
  [betweenAlike, /[.'\u2018\u2019\u2024\ufe52\uff07\uff0e]/u],
  [mark, /[\p{Grapheme_Extend}\p{Mc}\p{Emoji_Modifier}\p{Cf}]/u],
  [other, /\u200b/u],
];

const asciiClasses = Uint8Array.from({ length: 128 }, (_, code) => compute(code));
/** One byte for each character of the basic plane, computed when first met; 255: not yet. */
const planeClasses = new Uint8Array(0x10000).fill(255);

/** The class of a code point. */
export function classOf(code: number): number {
  if (code < 128) return asciiClasses[code] ?? other;
  if (code > 0xffff) return compute(code);
  const known = planeClasses[code] ?? 255;
  if (known !== 255) return known;
  const computed = compute(code);
  planeClasses[code] = computed;
  return computed;
}

function compute(code: number): number {
  const character = String.fromCodePoint(code);
  return classes.findLast(([, pattern]) => pattern.test(character))?.[0] ?? other;
}
