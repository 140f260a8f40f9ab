// Opening and closing, one after the other: what is asked for twice is done once.

export class Lifecycle {
  readonly #end: () => Promise<void>;
  #isOpen = false;
  #queue: Promise<void> = Promise.resolve();

  /** @param end closes. Whatever it throws, the thing is closed afterwards */
  constructor(end: () => Promise<void>) {
    this.#end = end;
  }

  /**
   * Does nothing where it is open. While it closes, waits for that.
   *
   * @param start opens. Where it fails the thing is closed: it releases what it has opened
   */
  open(start: () => Promise<void>): Promise<void> {
    return this.#serialize(async () => {
      if (this.#isOpen) return;
      await start();
      this.#isOpen = true;
    });
  }

  /** Does nothing where it is closed. While it opens, waits for that. */
  close(): Promise<void> {
    return this.#serialize(async () => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      await this.#end();
    });
  }

  #serialize(step: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(step);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
