// Measures a JSON text before anything is made of it: how many values it has, and where the members of an object lie. Looks at brackets, commas, colons and
// quotes only; `JSON.parse` decides later what is valid.

import type { Work } from "../../../core/index.ts";

/** What a JSON text may hold. */
export interface JsonBounds {
  /** Elements of lists and members of objects, all together: commas and opening brackets. */
  readonly maxValues: number;
  /** Members of one object. */
  readonly maxMembers: number;
  /** Elements of one list. */
  readonly maxElements: number;
}

/** Where a member of the object lies, in bytes. */
export interface MemberRange {
  readonly from: number;
  /** The colon between key and value. */
  readonly colon: number;
  readonly to: number;
}

export interface JsonMeasure {
  readonly values: number;
  /** The members of the object; undefined: it is no object, or its brackets do not fit. */
  readonly members: readonly MemberRange[] | undefined;
}

/** Which bound the text exceeds. */
export type JsonExcess = "values" | "members" | "elements" | "number" | "depth";

export class JsonTooLarge extends Error {
  readonly excess: JsonExcess;

  constructor(excess: JsonExcess) {
    super(`too many ${excess}`);
    this.excess = excess;
  }
}

/** Characters of one number. The value of a longer one takes more than linear time, and fits no type. */
export const maxNumberCharacters = 1_000;
/** Nesting of lists and objects. */
export const maxJsonDepth = 10_000;

/** Bytes between two steps: a fraction of a millisecond. */
const stepBytes = 128 * 1024;

/**
 * Measures `text`, UTF-8.
 *
 * @throws JsonTooLarge as soon as a bound is exceeded
 */
export function* measureJson(text: Uint8Array, bounds: JsonBounds): Work<JsonMeasure> {
  const scan = new Scan(text, bounds);
  while (scan.read(stepBytes)) yield;
  return scan.measure;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** A list or an object that has not closed. */
interface Open {
  readonly isObject: boolean;
  /** Begun so far, if there is any. */
  members: number;
}

class Scan {
  readonly #text: Uint8Array;
  readonly #bounds: JsonBounds;
  /** From the outermost on. */
  readonly #open: Open[] = [];
  readonly #members: MemberRange[] = [];
  #at = 0;
  #values = 0;
  #isInString = false;
  /** Bytes of the number, or of what stands in the place of one. */
  #run = 0;
  /** Of the member that is being read. */
  #from = 0;
  #colon = -1;
  /** The outermost brackets have closed. */
  #isOver = false;
  /** The text is no object, or something is around it. */
  #isOther = false;

  constructor(text: Uint8Array, bounds: JsonBounds) {
    this.#text = text;
    this.#bounds = bounds;
  }

  get measure(): JsonMeasure {
    return { values: this.#values, members: this.#isOver && !this.#isOther ? this.#members : undefined };
  }

  /** Reads about so many bytes. False: there are no more. */
  read(bytes: number): boolean {
    const text = this.#text;
    const end = Math.min(text.length, this.#at + bytes);
    while (this.#at < end) {
      if (this.#isInString) this.#readString(end);
      else this.#readByte(text[this.#at++] ?? 0);
    }
    return this.#at < text.length;
  }

  #readString(end: number): void {
    const text = this.#text;
    let at = this.#at;
    while (at < end && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
    this.#isInString = at >= end;
    this.#at = this.#isInString ? at : at + 1;
  }

  #readByte(byte: number): void {
    if (this.#open.length === 0 && byte !== openObject && !isBlank(byte)) this.#isOther = true;
    switch (byte) {
      case quote:
        this.#isInString = true;
        break;
      case openList:
      case openObject:
        this.#begin(byte);
        break;
      case closeList:
      case closeObject:
        this.#end(byte);
        break;
      case comma:
        this.#separate();
        break;
      case colon:
        if (this.#open.length === 1 && this.#colon < 0) this.#colon = this.#at - 1;
        this.#run = 0;
        break;
      default:
        this.#readOther(byte);
    }
  }

  #readOther(byte: number): void {
    if (isBlank(byte)) this.#run = 0;
    else if (++this.#run > maxNumberCharacters) throw new JsonTooLarge("number");
  }

  #begin(byte: number): void {
    this.#count();
    if (this.#open.length === 0) {
      this.#isOther ||= this.#isOver;
      this.#from = this.#at;
    }
    if (this.#open.push({ isObject: byte === openObject, members: 1 }) > maxJsonDepth) throw new JsonTooLarge("depth");
    this.#run = 0;
  }

  #end(byte: number): void {
    if (this.#open.length === 1) {
      this.#isOther ||= byte !== closeObject;
      this.#isOver = true;
      this.#endMember({ isLast: true });
    }
    this.#open.pop();
    this.#run = 0;
  }

  #separate(): void {
    this.#count();
    this.#run = 0;
    const top = this.#open.at(-1);
    if (top === undefined) return;
    const { maxMembers, maxElements } = this.#bounds;
    if (++top.members > (top.isObject ? maxMembers : maxElements)) throw new JsonTooLarge(top.isObject ? "members" : "elements");
    if (top.isObject && this.#open.length === 1) this.#endMember({ isLast: false });
  }

  #count(): void {
    if (++this.#values > this.#bounds.maxValues) throw new JsonTooLarge("values");
  }

  /** `{}` has no member; a member of nothing beside others is left for the parser to refuse. */
  #endMember({ isLast }: { readonly isLast: boolean }): void {
    const member = { from: this.#from, colon: this.#colon, to: this.#at - 1 };
    const isNothing = isLast && this.#members.length === 0 && this.#text.subarray(member.from, member.to).every(isBlank);
    if (!isNothing) this.#members.push(member);
    this.#from = this.#at;
    this.#colon = -1;
  }
}
