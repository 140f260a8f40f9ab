// Verifies a table: data blocks, filter, indexes and footer lie in the file one after the other, each block with a checksum behind it.
// Blocks stay compressed: the checksum covers what is stored. https://github.com/google/leveldb/blob/main/doc/table_format.md

import { type FileHandle, open } from "node:fs/promises";
import { ByteReader, Unreadable, uint32 } from "./byte-reader.ts";
import { crc32c, unmaskedCrc } from "./crc32c.ts";
import { snappyDecompressed } from "./snappy.ts";

/** Behind the block: its compression (1 byte) and its checksum (4). */
const trailerBytes = 5;
const footerBytes = 48;
const magic = [0x8b80fb57, 0xdb477524] as const;
/** An index has some 30 bytes a block of 4 KiB: this is one of a table of gigabytes, where LevelDB makes tables of 2 MiB. */
const maxIndexBytes = 64 << 20;
const sliceBytes = 256 << 10;

interface Block {
  readonly offset: number;
  readonly bytes: number;
}

interface Footer {
  readonly metaIndex: Block;
  readonly index: Block;
}

export interface TableReading {
  /** Gets what is wrong. */
  readonly onDamage: (found: string) => void;
  /** Runs after each slice with its bytes; what it returns is waited for. */
  readonly onSlice?: (bytes: number) => Promise<void> | void;
}

/** Reads the footer alone: whether this is a table that was written to its end. */
export async function checkFooter(path: string, bytes: number, { onDamage }: TableReading): Promise<void> {
  await reading(path, onDamage, async (file) => {
    await readFooter(file, bytes);
  });
}

/** Verifies every block. */
export async function verifyTable(path: string, bytes: number, table: TableReading): Promise<void> {
  await reading(path, table.onDamage, async (file) => {
    const footer = await readFooter(file, bytes);
    const index = blocksIn(await readIndex(file, footer.index));
    const meta = blocksIn(await readIndex(file, footer.metaIndex));
    const blocks = [...index, ...meta, footer.metaIndex, footer.index].sort((a, b) => a.offset - b.offset);
    assertCovers(blocks, bytes - footerBytes);
    await verifyBlocks(file, blocks, table);
  });
}

async function reading(path: string, onDamage: (found: string) => void, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, "r");
  try {
    await work(file);
  } catch (reason) {
    if (!(reason instanceof Unreadable)) throw reason;
    onDamage(reason.message);
  } finally {
    await file.close();
  }
}

async function readFooter(file: FileHandle, bytes: number): Promise<Footer> {
  if (bytes < footerBytes) throw new Unreadable(`is too short for a table: ${bytes} bytes`);
  const footer = await readAt(file, { offset: bytes - footerBytes, bytes: footerBytes });
  if (uint32(footer, 40) !== magic[0] || uint32(footer, 44) !== magic[1]) throw new Unreadable("does not end as a table does");
  const reader = new ByteReader(footer);
  const blocks = { metaIndex: handle(reader), index: handle(reader) };
  for (const block of Object.values(blocks)) assertInside(block, bytes - footerBytes);
  return blocks;
}

function handle(reader: ByteReader): Block {
  return { offset: reader.varint(), bytes: reader.varint() };
}

function assertInside({ offset, bytes }: Block, end: number): void {
  if (offset + bytes + trailerBytes > end) throw new Unreadable(`has a footer that points to byte ${offset + bytes}, behind the end`);
}

async function readIndex(file: FileHandle, block: Block): Promise<Uint8Array> {
  if (block.bytes > maxIndexBytes) throw new Unreadable(`has an index of ${block.bytes} bytes`);
  const stored = await readAt(file, { offset: block.offset, bytes: block.bytes + trailerBytes });
  if (crc32c(stored, 0, block.bytes + 1) !== unmaskedCrc(uint32(stored, block.bytes + 1))) throw mismatch(block);
  const contents = stored.subarray(0, block.bytes);
  return stored[block.bytes] === 1 ? snappyDecompressed(contents, maxIndexBytes) : contents;
}

function mismatch({ offset, bytes }: Block): Unreadable {
  return new Unreadable(mismatchText({ offset, bytes }));
}

function mismatchText({ offset, bytes }: Block): string {
  return `has a block of ${bytes} bytes at byte ${offset} that does not match its checksum`;
}

async function readAt(file: FileHandle, { offset, bytes }: Block): Promise<Uint8Array> {
  const target = new Uint8Array(bytes);
  for (let filled = 0; filled < bytes; ) {
    const { bytesRead } = await file.read(target, filled, bytes - filled, offset + filled);
    if (bytesRead === 0) throw new Unreadable(`ends at byte ${offset + filled}, in the middle of a block`);
    filled += bytesRead;
  }
  return target;
}

/** The blocks that an index points to. Its own end holds the places where keys are written out, and their number. */
function blocksIn(index: Uint8Array): readonly Block[] {
  if (index.length < 4) throw new Unreadable("has an index that is too short");
  const end = index.length - 4 - 4 * uint32(index, index.length - 4);
  if (end < 0) throw new Unreadable("has an index that contradicts itself");
  const reader = new ByteReader(index.subarray(0, end));
  const blocks: Block[] = [];
  while (!reader.isAtEnd) {
    reader.varint(); // Bytes of the key that it shares with the one before.
    const keyBytes = reader.varint();
    const valueBytes = reader.varint();
    reader.bytes(keyBytes);
    blocks.push(handle(new ByteReader(reader.bytes(valueBytes))));
  }
  return blocks;
}

/** Every byte belongs to one block: what no index points to would go unverified. */
function assertCovers(blocks: readonly Block[], end: number): void {
  let at = 0;
  for (const { offset, bytes } of blocks) {
    if (offset !== at) throw new Unreadable(`has blocks that do not follow each other at byte ${at}`);
    at += bytes + trailerBytes;
  }
  if (at !== end) throw new Unreadable(`has bytes that belong to no block at byte ${at}`);
}

async function verifyBlocks(file: FileHandle, blocks: readonly Block[], { onDamage, onSlice }: TableReading): Promise<void> {
  const slices = new Slices(file, onSlice);
  for (const block of blocks) {
    // Most blocks lie within a slice. To await each took as long as its checksum.
    const matches = slices.matchesWithin(block.bytes) ?? (await slices.matchesBeyond(block.bytes));
    if (!matches) onDamage(mismatchText(block));
  }
  await slices.end();
}

/** The file from its start, a slice in memory at a time, however large a block is. */
class Slices {
  readonly #file: FileHandle;
  readonly #onSlice: TableReading["onSlice"];
  readonly #buffer = new Uint8Array(sliceBytes);
  #read = 0;
  #at = 0;
  #position = 0;

  constructor(file: FileHandle, onSlice: TableReading["onSlice"]) {
    this.#file = file;
    this.#onSlice = onSlice;
  }

  /** Whether the next block has its checksum; undefined when it ends behind this slice. */
  matchesWithin(bytes: number): boolean | undefined {
    const end = this.#at + bytes + 1;
    if (end + 4 > this.#read) return undefined;
    const crc = crc32c(this.#buffer, this.#at, end);
    this.#at = end + 4;
    return crc === unmaskedCrc(uint32(this.#buffer, end));
  }

  /** The same for a block of any length. */
  async matchesBeyond(bytes: number): Promise<boolean> {
    const crc = await this.#checksum(bytes + 1);
    return crc === unmaskedCrc(uint32(await this.#take(4), 0));
  }

  async #checksum(bytes: number): Promise<number> {
    let crc = 0;
    for (let left = bytes; left > 0; ) {
      if (this.#at === this.#read) await this.#next();
      const end = Math.min(this.#at + left, this.#read);
      crc = crc32c(this.#buffer, this.#at, end, crc);
      left -= end - this.#at;
      this.#at = end;
    }
    return crc;
  }

  async #take(bytes: number): Promise<Uint8Array> {
    const taken = new Uint8Array(bytes);
    for (let i = 0; i < bytes; i++) {
      if (this.#at === this.#read) await this.#next();
      taken[i] = this.#buffer[this.#at++] ?? 0;
    }
    return taken;
  }

  async end(): Promise<void> {
    await this.#onSlice?.(this.#read);
  }

  async #next(): Promise<void> {
    if (this.#read > 0) await this.#onSlice?.(this.#read);
    const { bytesRead } = await this.#file.read(this.#buffer, 0, sliceBytes, this.#position);
    if (bytesRead === 0) throw new Unreadable(`ends at byte ${this.#position}, in the middle of a block`);
    this.#position += bytesRead;
    this.#read = bytesRead;
    this.#at = 0;
  }
}
