// Runs asynchronous work one after another: migrations, erasures and repairs of a storage.

/** A first-in, first-out queue of asynchronous work. Work that fails does not stop what follows. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all work that was added before. Settles as `work` does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.catch(() => undefined).then(work);
    this.#last = turn;
    return turn;
  }

  /** Resolves when all work that was added before has ended, with or without success. */
  async idle(): Promise<void> {
    await this.#last.catch(() => undefined);
  }
}
