// What plugins do in one run of a transaction: it shows whether they are at work, and ends with the transaction.

import { QuernError } from "./errors.ts";
import { isPromise } from "./maybe-promise.ts";
import type { Allowance, Closing, Patience } from "./patience.ts";
import type { MaybePromise } from "./values/value.ts";

export interface ScopeOptions {
  /** Milliseconds that a hook may wait for something other than the transaction. */
  readonly hookMs: number;
  /** When all of it must end, in milliseconds of `performance.now()`. Default: never. */
  readonly deadline?: number;
  readonly closing?: Closing | undefined;
}

export class TransactionScope implements Patience {
  readonly #options: ScopeOptions;
  #isOver = false;
  /** Calls that have begun or ended so far. */
  #calls = 0;
  #pending = 0;

  constructor(options: ScopeOptions) {
    this.#options = options;
  }

  /** The transaction has ended: what hooks still do, does nothing. */
  end(): void {
    this.#isOver = true;
  }

  /** Does something in the transaction for a hook. @throws `CANCELLED` when the transaction is over */
  call<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    if (this.#isOver) throw new QuernError("CANCELLED", "The transaction is over; nothing is read or written in it any more.");
    this.#calls++;
    const result = work();
    return isPromise(result) ? this.#awaited(result) : result;
  }

  async #awaited<T>(result: PromiseLike<T>): Promise<T> {
    this.#pending++;
    try {
      return await result;
    } finally {
      this.#pending--;
      this.#calls++;
    }
  }

  /** A hook that works with the transaction goes on: a large one may take as long as its request. */
  allow(): Allowance {
    const { hookMs, deadline = Number.POSITIVE_INFINITY, closing } = this.#options;
    let seen = this.#calls;
    const next = (now: number): number => Math.min(now + hookMs, Math.max(deadline, now));
    return {
      until: next(performance.now()),
      limit: `within ${hookMs} ms (limits.hookMs)`,
      closing,
      extended: (now) => {
        if (now >= deadline || (this.#pending === 0 && this.#calls === seen)) return undefined;
        seen = this.#calls;
        return next(now);
      },
    };
  }
}
