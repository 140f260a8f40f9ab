// Checks that bytes are one JSON value, and makes nothing of them: a long text would have to be copied, and V8 marks its whole heap for each long text.

import type { Work } from "../../../core/index.ts";
import { maxNumberCharacters } from "./measure-json.ts";

/** Bytes between two steps: less than a millisecond. */
const stepBytes = 256 * 1024;

/** Accepts what `JSON.parse` accepts. @throws SyntaxError */
export function* checkJson(text: Uint8Array): Work<void> {
  const check = new Check(text);
  while (check.read(stepBytes)) yield;
  check.end();
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

const literals: ReadonlyMap<number, string> = new Map(["true", "false", "null"].map((word) => [word.charCodeAt(0), word]));
const shortEscapes: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (each) => each.charCodeAt(0)));
const unicodeEscape = 0x75;
const hex = /^[0-9a-fA-F]{4}$/;
const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const numberBytes: ReadonlySet<number> = new Set(Array.from("0123456789+-.eE", (each) => each.charCodeAt(0)));

/** What may come next: `first` of a list or object may be its end. */
type Expected = "value" | "first" | "key" | "firstKey" | "colon" | "comma";

class Check {
  readonly #text: Uint8Array;
  /** The opening brackets that have not closed. */
  readonly #open: number[] = [];
  #at = 0;
  #expected: Expected = "value";
  #isInString = false;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  /** Reads about so many bytes. False: there are no more. */
  read(bytes: number): boolean {
    const end = Math.min(this.#text.length, this.#at + bytes);
    while (this.#at < end) {
      if (this.#isInString) this.#readString(end);
      else this.#readToken(this.#text[this.#at] ?? 0);
    }
    return this.#at < this.#text.length;
  }

  end(): void {
    if (this.#isInString || this.#open.length > 0 || this.#expected !== "comma") throw new SyntaxError("Unexpected end of JSON input");
  }

  #readString(end: number): void {
    const text = this.#text;
    let at = this.#at;
    for (let byte = text[at]; at < end && byte !== quote; byte = text[at]) {
      if (byte === undefined || byte < 0x20) throw this.#unexpected(at);
      at = byte === backslash ? this.#endOfEscape(at) : at + 1;
    }
    this.#at = at;
    if (at >= end) return;
    this.#at = at + 1;
    this.#isInString = false;
    this.#expected = this.#expected === "key" ? "colon" : "comma";
  }

  #endOfEscape(at: number): number {
    const escaped = this.#text[at + 1] ?? 0;
    if (shortEscapes.has(escaped)) return at + 2;
    if (escaped !== unicodeEscape || !hex.test(this.#latin(at + 2, at + 6))) throw this.#unexpected(at);
    return at + 6;
  }

  #readToken(byte: number): void {
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#at++;
    else if (this.#expected === "colon") this.#readColon(byte);
    else if (this.#expected === "comma") this.#readAfterValue(byte);
    else if (this.#expected === "key" || this.#expected === "firstKey") this.#readKey(byte);
    else this.#readValue(byte);
  }

  #readColon(byte: number): void {
    if (byte !== colon) throw this.#unexpected(this.#at);
    this.#at++;
    this.#expected = "value";
  }

  #readAfterValue(byte: number): void {
    if (byte === comma && this.#open.length > 0) {
      this.#at++;
      this.#expected = this.#open.at(-1) === openObject ? "key" : "value";
    } else this.#close(byte);
  }

  #close(byte: number): void {
    const open = this.#open.pop();
    if (open === undefined || byte !== (open === openObject ? closeObject : closeList)) throw this.#unexpected(this.#at);
    this.#at++;
    this.#expected = "comma";
  }

  #readKey(byte: number): void {
    if (byte === quote) {
      this.#expected = "key";
      this.#beginString();
    } else if (this.#expected === "firstKey") this.#close(byte);
    else throw this.#unexpected(this.#at);
  }

  #readValue(byte: number): void {
    if (byte === quote) this.#beginString();
    else if (byte === openObject || byte === openList) this.#begin(byte);
    else if (byte === closeList && this.#expected === "first") this.#close(byte);
    else this.#readWord(byte);
  }

  #beginString(): void {
    this.#at++;
    this.#isInString = true;
  }

  #begin(bracket: number): void {
    this.#at++;
    this.#open.push(bracket);
    this.#expected = bracket === openObject ? "firstKey" : "first";
  }

  #readWord(byte: number): void {
    const from = this.#at;
    const word = literals.get(byte);
    const to = word === undefined ? this.#endOfNumber(from) : from + word.length;
    const found = this.#latin(from, to);
    if (word === undefined ? !number.test(found) : found !== word) throw this.#unexpected(from);
    this.#at = to;
    this.#expected = "comma";
  }

  #endOfNumber(from: number): number {
    let to = from;
    while (to - from <= maxNumberCharacters && numberBytes.has(this.#text[to] ?? 0)) to++;
    return to;
  }

  #latin(from: number, to: number): string {
    return String.fromCharCode(...this.#text.subarray(from, to));
  }

  #unexpected(at: number): SyntaxError {
    return new SyntaxError(`Unexpected token in JSON at position ${at}`);
  }
}
