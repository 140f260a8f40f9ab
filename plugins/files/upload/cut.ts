// Bytes that arrive, cut into pieces. What has arrived before the client breaks off is kept.

export class Cut {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #isEnded = false;
  /** Of the last piece. */
  bytes = 0;

  constructor(incoming: AsyncIterable<Uint8Array>) {
    this.#pieces = incoming[Symbol.asyncIterator]();
  }

  /** Whether nothing more has arrived, and nothing will. */
  async isOver(): Promise<boolean> {
    while (this.#rest.byteLength === 0 && !this.#isEnded) {
      // A client that has broken off sends the rest in another request.
      const { done, value } = await this.#pieces.next().catch(() => ({ done: true, value: undefined }) as const);
      this.#isEnded = done === true;
      this.#rest = value ?? this.#rest;
    }
    return this.#rest.byteLength === 0;
  }

  /** The next bytes, up to so many. */
  async *next(most: number): AsyncGenerator<Uint8Array> {
    this.bytes = 0;
    while (this.bytes < most && !(await this.isOver())) {
      const taken = this.#rest.subarray(0, most - this.bytes);
      this.bytes += taken.byteLength;
      this.#rest = this.#rest.subarray(taken.byteLength);
      yield taken;
    }
  }
}
