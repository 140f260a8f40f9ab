// The place of one request among those that work for long. Until it has one, what storage keeps for it counts.

import type { LongRequest, LongWork } from "./long-work.ts";

export class LongRequestSeat {
  readonly #longWork: LongWork;
  readonly #request: LongRequest;
  #entered: Promise<void> | undefined;
  /** It counts as long, and waits no more. */
  #isLong = false;
  #keptBytes = 0;
  /** Storage was told that all requests keep too much: the next turn waits, whatever it has dropped. */
  #keepsTooMuch = false;

  constructor(longWork: LongWork, request: LongRequest) {
    this.#longWork = longWork;
    this.#request = request;
  }

  /** The request sits there or waits for it, or has to. */
  get isTaken(): boolean {
    return this.#entered !== undefined || this.#keepsTooMuch;
  }

  /** Resolves when the request may go on as a long one. Errors: `OVERLOADED`, `CANCELLED`, `LIMIT_REACHED`. */
  async take(): Promise<void> {
    this.#entered ??= this.#enter();
    await this.#entered;
  }

  async #enter(): Promise<void> {
    await this.#longWork.enter(this.#request);
    this.#becomeLong();
  }

  /** What it keeps counts no more: few requests are long. */
  #becomeLong(): void {
    this.#isLong = true;
    this.#longWork.keep(-this.#keptBytes);
    this.#keptBytes = 0;
  }

  /** Storage keeps `bytes` more, or fewer. True: all requests together keep too much, and the next turn waits. */
  keep(bytes: number): boolean {
    if (this.#isLong) return false;
    // What it has dropped may have been counted before a part of the request went on elsewhere.
    const change = Math.max(bytes, -this.#keptBytes);
    this.#keptBytes += change;
    this.#longWork.keep(change);
    if (bytes <= 0 || !this.#longWork.isCrowded) return false;
    if (this.#entered === undefined && this.#longWork.enterAtOnce()) {
      this.#entered = Promise.resolve();
      this.#becomeLong();
      return false;
    }
    this.#keepsTooMuch = true;
    return true;
  }

  keepNothing(): void {
    this.keep(-this.#keptBytes);
  }

  /** The next long request may begin. */
  leave(): void {
    const entered = this.#entered;
    this.#entered = undefined;
    this.#isLong = false;
    entered?.then(
      () => this.#longWork.leave(),
      () => undefined,
    );
  }

  close(): void {
    this.keepNothing();
    this.leave();
  }
}
