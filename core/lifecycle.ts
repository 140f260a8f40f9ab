// Serializes opening and closing, and makes both idempotent.

export class Lifecycle {
  readonly #end: () => Promise<void>;
  #isOpen = false;
  #queue: Promise<void> = Promise.resolve();

  /** @param end closes the resource, which counts as closed even if this throws */
  constructor(end: () => Promise<void>) {
    this.#end = end;
  }

  /**
   * Does nothing if the resource is open; waits for a `close` that is under way.
   *
   * @param start opens the resource. If it throws, it has released everything, and the resource stays closed
   */
  open(start: () => Promise<void>): Promise<void> {
    return this.#serialize(async () => {
      if (this.#isOpen) return;
      await start();
      this.#isOpen = true;
    });
  }

  /** Does nothing if the resource is closed; waits for an `open` that is under way. */
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
