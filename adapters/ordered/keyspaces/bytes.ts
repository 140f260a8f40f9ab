// Writing and reading the small binary formats: whole numbers of variable length, doubles, texts.

const initialSize = 1 << 14;
const group = 0x80;

/** Grows as needed; `finish` hands out the bytes and starts over, so one writer serves a whole codec. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(initialSize);
  #length = 0;

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** A whole number from 0 to 2^53 - 1: seven bits a byte, low ones first. */
  whole(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= group) {
      this.#bytes[this.#length++] = (rest % group) | group;
      rest = rest > 0x7fff_ffff ? Math.floor(rest / group) : rest >>> 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  wholes(values: readonly number[]): void {
    for (let i = 0; i < values.length; i++) this.whole(values[i] ?? 0);
  }

  /** Ascending whole numbers: the count, then the gaps. Counted loops here and below: iterator results were a third of the garbage of a bulk load. */
  ascending(values: readonly number[]): void {
    this.whole(values.length);
    this.#reserve(values.length * 8);
    const bytes = this.#bytes;
    let at = this.#length;
    let before = 0;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] ?? 0;
      let rest = value - before;
      before = value;
      while (rest >= group) {
        bytes[at++] = (rest % group) | group;
        rest = rest > 0x7fff_ffff ? Math.floor(rest / group) : rest >>> 7;
      }
      bytes[at++] = rest;
    }
    this.#length = at;
  }

  /** A safe integer of either sign below 2^52, small magnitudes short. */
  signed(value: number): void {
    this.whole(value < 0 ? -value * 2 - 1 : value * 2);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  int64(value: bigint): void {
    this.#reserve(8);
    this.#bytes.writeBigInt64LE(value, this.#length);
    this.#length += 8;
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.whole(size);
    this.#reserve(size);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** What was written, until the next write: `seal` makes the only copy. */
  finish(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }
}

/** Reads what a `ByteWriter` wrote, in the same order. Throws where the bytes end too soon: they are damaged. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get more(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** Throws when bytes are left. */
  end(): void {
    if (this.more) throw new RangeError("more bytes than there should be");
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  #next(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw endTooSoon();
    return byte;
  }

  whole(): number {
    let byte = this.#next();
    if (byte < group) return byte;
    let value = byte - group;
    let scale = group;
    do {
      byte = this.#next();
      value += (byte % group) * scale;
      scale *= group;
    } while (byte >= group);
    return value;
  }

  wholes(count: number): number[] {
    const values: number[] = [];
    for (let i = 0; i < count; i++) values.push(this.whole());
    return values.slice();
  }

  signed(): number {
    const value = this.whole();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  int64(): bigint {
    const value = this.#bytes.readBigInt64LE(this.#at);
    this.#at += 8;
    return value;
  }

  text(): string {
    const size = this.whole();
    if (this.#at + size > this.#bytes.length) throw endTooSoon();
    const value = this.#bytes.toString("utf8", this.#at, this.#at + size);
    this.#at += size;
    return value;
  }
}

function endTooSoon(): RangeError {
  return new RangeError("the bytes end too soon");
}
