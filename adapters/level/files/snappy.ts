// Decompresses Snappy: LevelDB may compress the index block of a table. Data blocks stay compressed here, their checksum covers what is stored.
// https://github.com/google/snappy/blob/main/format_description.txt

import { ByteReader, Unreadable } from "./byte-reader.ts";

/**
 * @param maxBytes a block that says it is larger is refused
 * @throws Unreadable
 */
export function snappyDecompressed(compressed: Uint8Array, maxBytes: number): Uint8Array {
  const reader = new ByteReader(compressed);
  const length = reader.varint();
  if (length > maxBytes) throw new Unreadable(`has a compressed block of ${length} bytes where an index should be`);
  const output = new Output(length);
  while (!reader.isAtEnd) readElement(reader, output);
  return output.whole();
}

/** The lowest two bits say what follows: bytes as they are, or a copy of earlier output. */
function readElement(reader: ByteReader, output: Output): void {
  const tag = reader.byte();
  const kind = tag & 3;
  if (kind === 0) output.append(reader.bytes(literalLength(reader, tag >> 2) + 1));
  else if (kind === 1) output.copy(((tag >> 5) << 8) | reader.byte(), ((tag >> 2) & 7) + 4);
  else output.copy(littleEndian(reader, kind === 2 ? 2 : 4), (tag >> 2) + 1);
}

/** Up to 59 in the tag; 60 to 63 say how many bytes hold it. */
function literalLength(reader: ByteReader, inTag: number): number {
  return inTag < 60 ? inTag : littleEndian(reader, inTag - 59);
}

function littleEndian(reader: ByteReader, bytes: number): number {
  let value = 0;
  for (let i = 0; i < bytes; i++) value += reader.byte() * 256 ** i;
  return value;
}

class Output {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
  }

  append(literal: Uint8Array): void {
    this.#assertRoom(literal.length);
    this.#bytes.set(literal, this.#at);
    this.#at += literal.length;
  }

  /** A copy may reach into itself: it repeats then. */
  copy(offset: number, length: number): void {
    if (offset === 0 || offset > this.#at) throw new Unreadable("has a compressed block that copies from before its start");
    this.#assertRoom(length);
    for (const end = this.#at + length; this.#at < end; this.#at++) this.#bytes[this.#at] = this.#bytes[this.#at - offset] ?? 0;
  }

  whole(): Uint8Array {
    if (this.#at !== this.#bytes.length) throw new Unreadable("has a compressed block that is shorter than it says");
    return this.#bytes;
  }

  #assertRoom(length: number): void {
    if (this.#at + length > this.#bytes.length) throw new Unreadable("has a compressed block that is longer than it says");
  }
}
