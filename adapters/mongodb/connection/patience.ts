// How long one operation waits for the database: as long as a server may be looked for, whatever of the operation fails meanwhile, and however often.

import { setTimeout as pause } from "node:timers/promises";
import type { PrimaryWatch } from "./primary-watch.ts";
import { noPrimary } from "./store-error.ts";

export interface PatienceOptions {
  readonly primary: PrimaryWatch;
  readonly connectTimeoutMs: number;
}

const longestPauseMs = 500;

/** Of one operation, which begins. */
export class Patience {
  readonly #options: PatienceOptions;
  readonly #began = performance.now();
  #until: number | undefined;
  #failures = 0;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /**
   * The operation has failed because of its server. Waits until it may run again, on this one or the next. The time counts from the last answer of a server
   * that takes writes: while one answers nothing, what waits for it does not know that yet.
   *
   * @returns false when the time is over. It may run once after that, when a server is there
   */
  async mayGoOn(): Promise<boolean> {
    const until = this.#deadline();
    if (performance.now() > until && this.#failures > 0) return false;
    await pause(Math.min(longestPauseMs, 20 * 2 ** this.#failures++));
    return await this.#options.primary.comes(until);
  }

  /** Waits for a server, in the time of this operation: it may have stood in line behind others that waited for one. @throws `STORE_UNAVAILABLE` */
  async ready(): Promise<void> {
    const { primary } = this.#options;
    if (primary.isThere || (await primary.comes(this.#deadline()))) return;
    throw noPrimary();
  }

  /**
   * The outcome of `work`, or an error when no server is there at the end of the time: the driver may wait for one longer, and again when it repeats a command.
   * Nobody hears of `work` then.
   *
   * @throws `STORE_UNAVAILABLE`
   */
  async bounded<Result>(work: Promise<Result>): Promise<Result> {
    const over = new AbortController();
    const ended = work.finally(() => over.abort());
    ended.catch(() => undefined);
    return await Promise.race([ended, this.#hopeless(over.signal)]);
  }

  /** Rejects when no server has come in time; never resolves. */
  async #hopeless(over: AbortSignal): Promise<never> {
    const { primary } = this.#options;
    while (!over.aborted && !primary.isClosed) {
      await primary.goes(over);
      if (!over.aborted && !(await primary.comes(this.#deadline()))) throw noPrimary();
    }
    return await new Promise<never>(() => undefined);
  }

  #deadline(): number {
    const { primary, connectTimeoutMs } = this.#options;
    this.#until ??= Math.max(this.#began, Math.min(performance.now(), primary.seen)) + connectTimeoutMs;
    return this.#until;
  }
}
