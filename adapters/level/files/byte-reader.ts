// Reads the encodings that LevelDB's files are made of, in order. The bytes may be damaged: every read is checked.

/** Bytes make no sense. The message is the end of a sentence that begins with the name of the file. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, from = 0) {
    this.#bytes = bytes;
    this.#at = from;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new Unreadable("is cut off inside a field");
    this.#at++;
    return value;
  }

  /** Seven bits a byte, the lowest first. @throws Unreadable beyond 2^53 */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (!Number.isSafeInteger(value)) throw new Unreadable("holds a number that is too large");
      if (byte < 128) return value;
    }
  }

  bytes(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Unreadable("is cut off inside a field");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Bytes behind their length. */
  lengthPrefixed(): Uint8Array {
    return this.bytes(this.varint());
  }
}

/** Four bytes, the lowest first. */
export function uint32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}
