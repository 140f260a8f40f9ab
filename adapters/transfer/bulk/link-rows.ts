// Links as three numbers each, in blocks: in memory as far as they are few, the others in a file that is gone with the process.

import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Links of one block: 384 KiB. */
const blockLinks = 1 << 15;
/** 24 MiB. */
const defaultHeldBlocks = 64;

/** Numbers of a link of the type, of the key of the object, and of the key that it leads to. */
export interface LinkRow {
  readonly link: number;
  readonly from: number;
  readonly to: number;
}

/** `count` links: their first numbers, their second and their third ones. */
type Block = Uint32Array;

export interface LinkRowsOptions {
  /** Where the file is made; by default the folder for temporary files. */
  readonly folder?: string | undefined;
  readonly heldBlocks?: number;
}

export class LinkRows {
  readonly #folder: string;
  readonly #heldBlocks: number;
  /** Undefined: in the file. */
  readonly #blocks: (Block | undefined)[] = [];
  /** Blocks in the file, from the first on. */
  #written = 0;
  #file: number | undefined;
  #count = 0;
  /** The block of the file that was read last. */
  readonly #read: Block = new Uint32Array(blockLinks * 3);
  #readNumber = -1;

  constructor({ folder = tmpdir(), heldBlocks = defaultHeldBlocks }: LinkRowsOptions = {}) {
    this.#folder = folder;
    this.#heldBlocks = heldBlocks;
  }

  get count(): number {
    return this.#count;
  }

  push(link: number, from: number, to: number): void {
    const at = this.#count % blockLinks;
    const number = (this.#count - at) / blockLinks;
    const block = this.#blocks[number] ?? this.#newBlock();
    block[at] = link;
    block[at + blockLinks] = from;
    block[at + 2 * blockLinks] = to;
    this.#count++;
  }

  #newBlock(): Block {
    const block = new Uint32Array(blockLinks * 3);
    this.#blocks.push(block);
    return block;
  }

  /** Forgets the newest ones, down to so many. Not behind `settle`. */
  truncate(count: number): void {
    this.#count = count;
  }

  /** What is there now is not truncated: moves full blocks to the file when many are in memory. */
  settle(): void {
    const full = Math.floor(this.#count / blockLinks);
    if (full - this.#written <= this.#heldBlocks) return;
    this.#file ??= this.#openFile();
    for (; this.#written < full; this.#written++) {
      const block = this.#blocks[this.#written];
      if (block !== undefined) writeAll(this.#file, block);
      this.#blocks[this.#written] = undefined;
    }
  }

  /** Without a name from the start: nothing is left of it, however the process ends. */
  #openFile(): number {
    const path = join(this.#folder, `gathered-links-${randomUUID()}`);
    const file = openSync(path, "wx+");
    unlinkSync(path);
    return file;
  }

  /** Quick where rows are asked for in their order. */
  row(i: number): LinkRow {
    const at = i % blockLinks;
    const number = (i - at) / blockLinks;
    const block = this.#blocks[number] ?? this.#readBlock(number);
    return { link: block[at] ?? 0, from: block[at + blockLinks] ?? 0, to: block[at + 2 * blockLinks] ?? 0 };
  }

  #readBlock(number: number): Block {
    if (number === this.#readNumber || this.#file === undefined) return this.#read;
    readAll(this.#file, this.#read, number * this.#read.byteLength);
    this.#readNumber = number;
    return this.#read;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#blocks.length = 0;
  }
}

function writeAll(file: number, block: Block): void {
  const bytes = bytesOf(block);
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

function readAll(file: number, block: Block, position: number): void {
  const bytes = bytesOf(block);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file, bytes, done, bytes.length - done, position + done);
    if (read === 0) throw new RangeError("the file of gathered links ends too soon");
    done += read;
  }
}

function bytesOf(block: Block): Uint8Array {
  return new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
}
