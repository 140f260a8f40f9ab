// A column of whole numbers below 2^32 that grows without a copy.

const blockLength = 1 << 16;

export class UintColumn {
  readonly #blocks: Uint32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const at = this.#length % blockLength;
    if (at === 0) this.#blocks.push(new Uint32Array(blockLength));
    const block = this.#blocks.at(-1);
    if (block !== undefined) block[at] = value;
    this.#length++;
  }

  /** 0 for a place that is not there. */
  at(place: number): number {
    return this.#blocks[place >>> 16]?.[place & 0xffff] ?? 0;
  }

  set(place: number, value: number): void {
    const block = this.#blocks[place >>> 16];
    if (block !== undefined) block[place & 0xffff] = value;
  }
}
