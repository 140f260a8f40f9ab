// Bytes read into memory of a given length, piece by piece as they come.

const nothing = new Uint8Array(0);

export class PartReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = nothing;
  #isDone = false;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#pieces = bytes[Symbol.asyncIterator]();
  }

  /** Fills `memory` from `filled` on. Less than all of it: these are the last bytes. @returns how much of it is filled */
  async fill(memory: Uint8Array, filled = 0): Promise<number> {
    let end = filled;
    while (end < memory.byteLength && !(await this.isOver())) {
      const taken = this.#rest.subarray(0, memory.byteLength - end);
      memory.set(taken, end);
      end += taken.byteLength;
      this.#rest = this.#rest.subarray(taken.byteLength);
    }
    return end;
  }

  /** Whether nothing is left. Reads on until it knows. */
  async isOver(): Promise<boolean> {
    while (this.#rest.byteLength === 0 && !this.#isDone) {
      const { done, value } = await this.#pieces.next();
      this.#isDone = done === true;
      this.#rest = value ?? nothing;
    }
    return this.#rest.byteLength === 0;
  }

  /** Nobody reads on. */
  async end(): Promise<void> {
    if (!this.#isDone) await this.#pieces.return?.();
  }
}
