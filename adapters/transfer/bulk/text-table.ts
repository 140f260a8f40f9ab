// Distinct texts with numbers, outside the heap: ten million short ones take some 250 MB, where a map of strings takes a gigabyte.

import { randomInt } from "node:crypto";
import { UintColumn } from "./uint-column.ts";

const blockBits = 20;
const blockBytes = 1 << blockBits;
const firstSlots = 1 << 12;
/** Slots in use at most. */
const maxShare = 0.7;
const asciiEnd = 0x80;

export class TextTable {
  /** Texts one behind the other. None crosses the end of a block; one that is longer than a block has a long one, which takes several places. */
  readonly #blocks: Buffer[] = [];
  /** Of the newest block. */
  #filled = blockBytes;
  /** The place of each text: the number of its block and where it begins there, together. */
  readonly #places = new UintColumn();
  /** Twice the units of each text, and one more where a unit takes two bytes. */
  readonly #sizes = new UintColumn();
  readonly #hashes = new UintColumn();
  /** Numbers of texts, each one more than it is; 0: free. */
  #slots = new Uint32Array(firstSlots);
  /** Who makes a file does not know which of its texts collide. */
  readonly #seed = randomInt(2 ** 32);

  /** How many texts there are. */
  get size(): number {
    return this.#hashes.length;
  }

  /** In memory, roughly. */
  get bytes(): number {
    return this.#blocks.length * blockBytes + this.#hashes.length * 12 + this.#slots.byteLength;
  }

  /** The number of a text: from 0 in the order in which they came. A new text gets the next one. */
  numberOf(text: string): number {
    const hash = this.#hash(text);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let taken = this.#slots[slot] ?? 0; taken !== 0; taken = this.#slots[slot] ?? 0) {
      if (this.#hashes.at(taken - 1) === hash && this.#isText(taken - 1, text)) return taken - 1;
      slot = (slot + 1) & mask;
    }
    const number = this.#hashes.length;
    this.#slots[slot] = number + 1;
    this.#hashes.push(hash);
    this.#store(text);
    if (number + 1 > this.#slots.length * maxShare) this.#grow();
    return number;
  }

  textOf(number: number): string {
    const size = this.#sizes.at(number);
    const place = this.#places.at(number);
    const begin = place & (blockBytes - 1);
    const block = this.#blocks[place >>> blockBits];
    return (size & 1 ? block?.toString("utf16le", begin, begin + size - 1) : block?.toString("latin1", begin, begin + (size >>> 1))) ?? "";
  }

  #hash(text: string): number {
    let hash = this.#seed;
    for (let i = 0; i < text.length; i++) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x5bd1_e995);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x7feb_352d);
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  #isText(number: number, text: string): boolean {
    const size = this.#sizes.at(number);
    if (size >>> 1 !== text.length) return false;
    if (size & 1) return this.textOf(number) === text;
    const place = this.#places.at(number);
    const begin = place & (blockBytes - 1);
    const block = this.#blocks[place >>> blockBits];
    for (let i = 0; i < text.length; i++) if (block?.[begin + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  #store(text: string): void {
    const narrow = isNarrow(text);
    const bytes = narrow ? text.length : text.length * 2;
    if (this.#filled + bytes > blockBytes) this.#addBlock(bytes);
    const begin = this.#filled;
    const number = this.#blocks.length - 1;
    const block = this.#blocks[number];
    if (narrow) for (let i = 0; block !== undefined && i < bytes; i++) block[begin + i] = text.charCodeAt(i);
    else block?.write(text, begin, "utf16le");
    this.#places.push(number * blockBytes + begin);
    this.#sizes.push(text.length * 2 + (narrow ? 0 : 1));
    this.#filled += bytes;
  }

  #addBlock(room: number): void {
    const block = Buffer.alloc(Math.max(blockBytes, room));
    this.#blocks.push(block);
    this.#filled = 0;
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#hashes.length; number++) {
      let slot = this.#hashes.at(number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

function isNarrow(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= asciiEnd) return false;
  return true;
}
