// Three neighbouring characters of a text, whatever their case: what candidates for a regular expression are found by.

import { isLong, partUnits } from "./long-text.ts";

/**
 * The trigrams of `text`, by code points, folded; repeats included. Fewer than three characters have none. Those of a long text come in parts.
 */
export function trigrams(text: string): Iterable<readonly string[]> {
  return isLong(text) ? inParts(text) : [ofPart(text)];
}

/** Each part goes two characters into the next one: at most four units. */
function* inParts(text: string): Generator<readonly string[]> {
  for (let from = 0; from < text.length; ) {
    const to = boundary(text, from + partUnits);
    yield ofPart(text.slice(from, past(text, past(text, to))));
    from = to;
  }
}

/** `at`, or one unit before it in the middle of a character. */
function boundary(text: string, at: number): number {
  return isPair(text, at - 1) ? at - 1 : Math.min(at, text.length);
}

function past(text: string, at: number): number {
  return at + (isPair(text, at) ? 2 : 1);
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}

function ofPart(text: string): readonly string[] {
  return plain.test(text) ? ofUnits(text.toLowerCase()) : ofCharacters(Array.from(text, (character) => foldCharacter(character.codePointAt(0) ?? 0)));
}

const plain = /^[\0-\x7f]*$/;

function ofUnits(text: string): readonly string[] {
  const found: string[] = [];
  if (text.length < 3) return found;
  let pair = (text.charCodeAt(0) << 7) | text.charCodeAt(1);
  for (let at = 2; at < text.length; at++) {
    const code = text.charCodeAt(at);
    found.push(known.get(pair, code) ?? known.add(pair, code, text.slice(at - 2, at + 1)));
    pair = ((pair & 0x7f) << 7) | code;
  }
  return found;
}

/** Trigrams of ASCII that came before. Collections hash a new text, and compare it with theirs: gathering an index took a quarter longer. */
class KnownTrigrams {
  /** By the codes of two characters, then by that of the third. */
  readonly #rows: (string | undefined)[][] = [];
  #count = 0;

  get(pair: number, code: number): string | undefined {
    return this.#rows[pair]?.[code];
  }

  /** @returns the trigram */
  add(pair: number, code: number, trigram: string): string {
    if (this.#count === maxKnown) return trigram;
    this.#count++;
    let row = this.#rows[pair];
    if (row === undefined) {
      row = [];
      this.#rows[pair] = row;
    }
    row[code] = trigram;
    return trigram;
  }
}

/** Real texts have some ten thousand. */
const maxKnown = 50_000;
const known = new KnownTrigrams();

function ofCharacters(characters: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let end = 3; end <= characters.length; end++) found.push(`${characters[end - 3]}${characters[end - 2]}${characters[end - 1]}`);
  return found;
}

const foldedCharacters = new Map<number, string>();

/** One character for all that a regular expression may take for another when it ignores case. Always one code point. */
export function foldCharacter(code: number): string {
  let folded = foldedCharacters.get(code);
  if (folded === undefined) {
    folded = compute(String.fromCodePoint(code));
    // The letters of some alphabets, not all of Chinese.
    if (foldedCharacters.size < 20_000) foldedCharacters.set(code, folded);
  }
  return folded;
}

function compute(character: string): string {
  // The one pair that no mapping of single characters joins.
  if (character === "\ufb06") return "\ufb05";
  const composed = single(character.normalize("NFC"), character);
  const upper = single(composed.toUpperCase(), composed);
  return single(upper.toLowerCase(), upper);
}

/** `mapped` where it still is one character. */
function single(mapped: string, character: string): string {
  const code = mapped.codePointAt(0) ?? 0;
  return mapped.length === (code > 0xffff ? 2 : 1) ? mapped : character;
}
