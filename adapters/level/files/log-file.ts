// Reads a file in LevelDB's log format: blocks of 32 KiB, in them records with a header of checksum (4 bytes), length (2) and type (1).
// The manifest has this format too. https://github.com/google/leveldb/blob/main/doc/log_format.md
//
// A process that is killed leaves half a record at the end, power that fails may leave zeros there: both are legal, LevelDB drops them.

import { open } from "node:fs/promises";
import { uint32 } from "./byte-reader.ts";
import { crc32c, unmaskedCrc } from "./crc32c.ts";

const blockBytes = 32 << 10;
const headerBytes = 7;
/** A multiple of the block's size. */
const sliceBytes = 8 * blockBytes;

const full = 1;
const first = 2;
const last = 4;

export interface LogReading {
  /** Gets each whole record. Without it nothing is kept. */
  readonly onRecord?: (record: Uint8Array) => void;
  /** Gets what is wrong at a byte of the file. */
  readonly onDamage: (found: string) => void;
  /** Gets the bytes read so far; runs after each slice. */
  readonly onSlice?: (bytes: number) => void;
}

/** Reads a file of this format from end to end, by slices. */
export async function readLog(path: string, reading: LogReading): Promise<void> {
  const file = await open(path, "r");
  try {
    const scan = new LogScan(reading);
    const slice = new Uint8Array(sliceBytes);
    for (let at = 0; ; ) {
      const read = await filled(file, slice, at);
      for (let from = 0; from < read; from += blockBytes) scan.block(slice.subarray(from, Math.min(from + blockBytes, read)), at + from);
      at += read;
      reading.onSlice?.(at);
      if (read < sliceBytes) return;
    }
  } finally {
    await file.close();
  }
}

/** A read may bring less than there is. */
async function filled(file: Awaited<ReturnType<typeof open>>, slice: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < slice.length) {
    const { bytesRead } = await file.read(slice, filled, slice.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

class LogScan {
  readonly #reading: LogReading;
  /** Fragments of the record that has begun; undefined between records. */
  #fragments: Uint8Array[] | undefined;
  /** Set by damage until the next record begins: what is left of the damaged one is no further damage. */
  #isLost = false;
  /** Where zeros begin that nothing but zeros may follow. */
  #zerosFrom: number | undefined;

  constructor(reading: LogReading) {
    this.#reading = reading;
  }

  block(block: Uint8Array, offset: number): void {
    for (let at: number | undefined = 0; at !== undefined && block.length - at >= headerBytes; ) at = this.#next(block, at, offset);
  }

  /** Where the next fragment begins; undefined when the rest of the block holds none that can be read. */
  #next(block: Uint8Array, at: number, offset: number): number | undefined {
    const place = offset + at;
    if (isZero(block, at, at + headerBytes)) {
      this.#zerosFrom ??= place;
      if (!isZero(block, at, block.length)) this.#lose(`has zeros in place of a record at byte ${place}`);
      return undefined;
    }
    this.#checkZerosBefore(place);
    const end = at + headerBytes + lengthAt(block, at);
    const found = end > block.length ? problemBeyond(block, at, end) : problemIn(block, at, end);
    if (found !== undefined) this.#lose(`${found} at byte ${place}`);
    if (found !== undefined || end > block.length) return undefined;
    this.#fragment(block.subarray(at, end), place);
    return end;
  }

  #fragment(fragment: Uint8Array, place: number): void {
    const type = fragment[6];
    const begins = type === full || type === first;
    if (begins !== (this.#fragments === undefined) && !this.#isLost) this.#lose(`lacks a part of the record before byte ${place}`);
    if (begins) this.#begin();
    if (this.#isLost) return;
    // A copy: the slice is read into again.
    if (this.#reading.onRecord !== undefined) this.#fragments?.push(fragment.slice(headerBytes));
    if (type === full || type === last) this.#end();
  }

  #begin(): void {
    this.#fragments = [];
    this.#isLost = false;
  }

  #end(): void {
    if (this.#fragments !== undefined) this.#reading.onRecord?.(Buffer.concat(this.#fragments));
    this.#fragments = undefined;
  }

  /** What stands behind zeros was written after them: they took the place of a record. */
  #checkZerosBefore(at: number): void {
    if (this.#zerosFrom === undefined) return;
    this.#lose(`has zeros in place of records from byte ${this.#zerosFrom} to ${at}`);
    this.#zerosFrom = undefined;
  }

  #lose(found: string): void {
    this.#fragments = undefined;
    this.#isLost = true;
    this.#reading.onDamage(found);
  }
}

/** A fragment longer than the rest of its block: its end was never written, which is no damage, or its length is damaged. */
function problemBeyond(block: Uint8Array, at: number, end: number): string | undefined {
  if (end > blockBytes || block.length === blockBytes) return "has a record that is longer than its block";
  return isWholeBut(block, at) ? "has a record of the wrong length" : undefined;
}

function problemIn(block: Uint8Array, at: number, end: number): string | undefined {
  if (crc32c(block, at + 6, end) !== unmaskedCrc(uint32(block, at))) return "has a record that does not match its checksum";
  const type = block[at + 6] ?? 0;
  return type < full || type > last ? `has a record of unknown type ${type}` : undefined;
}

function lengthAt(block: Uint8Array, at: number): number {
  return (block[at + 4] ?? 0) | ((block[at + 5] ?? 0) << 8);
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0) return false;
  return true;
}

/** Whether the record is there from its first to its last byte when its length is left aside. */
function isWholeBut(block: Uint8Array, at: number): boolean {
  const wanted = unmaskedCrc(uint32(block, at));
  let crc = crc32c(block, at + 6, at + headerBytes);
  for (let end = at + headerBytes; ; end++) {
    if (crc === wanted) return true;
    if (end >= block.length) return false;
    crc = crc32c(block, end, end + 1, crc);
  }
}
