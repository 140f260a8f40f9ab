// Serializes opening and closing, and makes both idempotent.

import { Retries } from "./ground/retries.ts";

export interface Reopening {
  /** Opens the resource, as for `open`. */
  readonly start: () => Promise<void>;
  /** Runs when opening fails. Then the resource is opened once more, and the call rejects with the first failure. */
  readonly recover: () => Promise<void>;
  /** Gets why the resource cannot be opened after `recover` either, or why that fails. Both are tried again until somebody closes the resource. */
  readonly lost: (thrown: unknown) => void;
  /** Gets what closing throws; the resource is opened all the same. */
  readonly closingFailed: (thrown: unknown) => void;
}

export class Lifecycle {
  readonly #end: () => Promise<void>;
  #isOpen = false;
  /** Opens a resource that `reopen` has lost. */
  #retries: Retries | undefined;
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
    this.#retries?.stop();
    return this.#serialize(async () => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      await this.#end();
    });
  }

  /** Closes the resource and opens it again, as one step. Does nothing if it is closed. */
  reopen(reopening: Reopening): Promise<void> {
    const { start, closingFailed } = reopening;
    return this.#serialize(async () => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      await this.#end().catch(closingFailed);
      try {
        await start();
      } catch (failure) {
        await this.#comeBack(reopening);
        throw failure;
      }
      this.#isOpen = true;
    });
  }

  /** Resolves after the first attempt; others follow where it fails. */
  async #comeBack({ start, recover, lost }: Reopening): Promise<void> {
    let isRecovered = false;
    const attempt = async () => {
      if (this.#isOpen) return;
      try {
        if (!isRecovered) await recover();
        isRecovered = true;
        await start();
        this.#isOpen = true;
      } catch (thrown) {
        lost(thrown);
        throw thrown;
      }
    };
    this.#retries = new Retries(() => this.#serialize(attempt));
    await attempt().catch(() => this.#retries?.start());
  }

  #serialize(step: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(step);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
