// Splits text into words at the boundaries of Unicode Standard Annex 29, without dictionaries: every Han, Hiragana, Thai,
// Lao, Khmer or Myanmar letter is a word of its own. Punctuation, symbols and emoji are no words.
//
// Written out because `Intl.Segmenter` is twenty times slower and cuts Chinese and Japanese by its own dictionaries, and
// because a regular expression's stack does not survive a word of millions of letters. The tests compare it with the former.

import { isLong, partUnits } from "./long-text.ts";
import { betweenAlike, betweenDigits, betweenLetters, classOf, connector, digit, katakana, letter, mark, other, single } from "./word-class.ts";

/**
 * Words of `text` as written, in order, repeats included.
 *
 * @param text any length; the cost is linear
 */
export function words(text: string): string[] {
  const found: string[] = [];
  pushWords(text, { from: 0, to: text.length }, found);
  return found;
}

/** The same of a long text, a part after the other. */
export function* wordsInParts(text: string): Generator<string[]> {
  for (let from = 0; from < text.length; ) {
    const found: string[] = [];
    from = pushWords(text, { from, to: from + partUnits }, found);
    yield found;
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Appends the words that begin in a part of the text, which itself begins where no word goes on. @returns where the last one ends */
function pushWords(text: string, { from, to }: Range, found: string[]): number {
  const end = Math.min(to, text.length);
  let at = from;
  while (at < end) {
    const code = text.codePointAt(at) ?? 0;
    const kind = classOf(code);
    const next = at + width(code);
    if (kind === letter || kind === digit || kind === katakana || kind === connector) {
      const end = endOfWord(text, at);
      if (kind !== connector || hasWord(text, at, end)) found.push(text.slice(at, end));
      at = end;
    } else if (kind === single) {
      const end = pastMarks(text, next);
      found.push(text.slice(at, end));
      at = end;
    } else at = next;
  }
  return at;
}

let lastText: readonly string[] = [];
let lastWords: readonly (readonly string[])[] = [];

/** `words`, each folded, in parts. Several indexes of one field ask for the words of one text, one after another: those of the last text are kept. */
export function foldedWords(text: string): Iterable<readonly string[]> {
  if (isLong(text)) return longFoldedWords(text);
  if (text !== lastText[0]) {
    lastWords = [words(text).map(fold)];
    lastText = [text];
  }
  return lastWords;
}

function* longFoldedWords(text: string): Generator<readonly string[]> {
  for (const part of wordsInParts(text)) yield part.map(fold);
}

/** Upper and lower case, wide and narrow, composed and decomposed forms become one. Accents stay. */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  return isAscii(word) ? lower : lower.normalize("NFKC");
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** Where the word ends that begins at `start` with a letter, a digit, Katakana or a connector. A Hebrew one may end with an apostrophe (WB7a). */
function endOfWord(text: string, start: number): number {
  let code = text.codePointAt(start) ?? 0;
  let last = classOf(code);
  let end = pastMarks(text, start + width(code));
  while (end < text.length) {
    const plain = last === katakana ? end : pastAsciiWord(text, end);
    if (plain > end) {
      code = text.charCodeAt(plain - 1);
      last = classOf(code);
      end = pastMarks(text, plain);
    }
    const nextCode = text.codePointAt(end);
    if (nextCode === undefined || nextCode === space) break;
    const next = classOf(nextCode);
    const past = pastMarks(text, end + width(nextCode));
    if (joins(last, next)) {
      last = next;
      code = nextCode;
      end = past;
    } else {
      const bridged = pastBridge(text, last, code, next, nextCode, past);
      if (bridged === undefined) return nextCode === apostrophe && isHebrew(code) ? past : end;
      code = text.codePointAt(past) ?? 0;
      end = bridged;
    }
  }
  return end;
}

/** Annex 29, rules WB5, WB8 to WB10, WB13 to WB13b. */
function joins(left: number, right: number): boolean {
  if (left === letter || left === digit) return right === letter || right === digit || right === connector;
  if (left === katakana) return right === katakana || right === connector;
  return right === letter || right === digit || right === katakana || right === connector;
}

/** Rules WB6, WB7, WB7b, WB7c, WB11, WB12: where the word goes on if the punctuation `middle`, which ends at `past`, joins what stands around it. */
function pastBridge(text: string, last: number, lastCode: number, middle: number, middleCode: number, past: number): number | undefined {
  const code = text.codePointAt(past);
  if (code === undefined || classOf(code) !== last || !canBridge(last, lastCode, middle, middleCode)) return undefined;
  return middleCode === quote && !isHebrew(code) ? undefined : pastMarks(text, past + width(code));
}

const space = 0x20;
const quote = 0x22;
const apostrophe = 0x27;

function canBridge(last: number, lastCode: number, middle: number, middleCode: number): boolean {
  if (middle === betweenAlike) return last === letter || last === digit;
  if (last === digit) return middle === betweenDigits;
  return last === letter && (middle === betweenLetters || (middleCode === quote && isHebrew(lastCode)));
}

function isHebrew(code: number): boolean {
  return code >= 0x5d0 && code <= 0x5f2;
}

/** Plain letters and digits all join; most text is nothing else. Half as many words again with it. */
function pastAsciiWord(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39))) break;
  }
  return at;
}

function pastMarks(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    if (code < 128 || classOf(code) !== mark) break;
    at += width(code);
  }
  return at;
}

/** Whether a run that begins with a connector holds more than connectors. */
function hasWord(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const kind = classOf(text.codePointAt(at) ?? 0);
    if (kind !== connector && kind !== mark && kind !== other) return true;
  }
  return false;
}

function width(code: number): number {
  return code > 0xffff ? 2 : 1;
}
