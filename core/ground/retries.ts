// Repeats an attempt until it succeeds, with pauses that grow.

import { setTimeout as pause } from "node:timers/promises";

const firstPauseMs = 250;
const longestPauseMs = 10_000;

/**
 * One attempt after another, the pauses between them from a quarter of a second to ten:
 *
 *     const retries = new Retries(() => store.open());
 *     retries.start();
 */
export class Retries {
  readonly #attempt: () => Promise<void>;
  #ending: AbortController | undefined;

  /** @param attempt rejects when it has to be repeated */
  constructor(attempt: () => Promise<void>) {
    this.#attempt = attempt;
  }

  /** The first attempt follows after a short pause. Does nothing while attempts go on. */
  start(): void {
    if (this.#ending !== undefined) return;
    this.#ending = new AbortController();
    void this.#run(this.#ending);
  }

  /** No attempt begins any more. One that is running ends by itself. */
  stop(): void {
    this.#ending?.abort();
    this.#ending = undefined;
  }

  /** The pauses keep no process alive. */
  async #run(ending: AbortController): Promise<void> {
    const { signal } = ending;
    for (let failures = 0; !signal.aborted; failures++) {
      await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** failures), undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted || !(await this.#succeeds())) continue;
      if (this.#ending === ending) this.#ending = undefined;
      return;
    }
  }

  async #succeeds(): Promise<boolean> {
    try {
      await this.#attempt();
      return true;
    } catch {
      return false;
    }
  }
}
