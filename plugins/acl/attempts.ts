// Limits failed logins: for each user from one address, and for each address. A bucket of attempts fills up again as time passes.

import { LRUCache } from "lru-cache";

interface Bucket {
  readonly left: number;
  readonly at: number;
}

export interface AttemptLimit {
  /** Failures in a row. */
  readonly burst: number;
  /** After so long one more attempt is allowed. */
  readonly refillMs: number;
}

/** More keys push out the one that was used least recently. */
const maxKeys = 50_000;

export class Attempts {
  readonly #limit: AttemptLimit;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: maxKeys });

  constructor(limit: AttemptLimit, now: () => number = Date.now) {
    this.#limit = limit;
    this.#now = now;
  }

  /** In how many milliseconds the next attempt is allowed; 0: now. */
  waitMs(key: string): number {
    const { left, at } = this.#refilled(key);
    return left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) * this.#limit.refillMs - (this.#now() - at)));
  }

  failed(key: string): void {
    const { left, at } = this.#refilled(key);
    this.#buckets.set(key, { left: left - 1, at });
  }

  /** Takes a failure back. */
  forgive(key: string): void {
    const { left, at } = this.#refilled(key);
    this.#buckets.set(key, { left: left + 1, at });
  }

  /** Takes all failures back. */
  forgiveAll(key: string): void {
    this.#buckets.delete(key);
  }

  #refilled(key: string): Bucket {
    const { burst, refillMs } = this.#limit;
    const now = this.#now();
    const { left, at } = this.#buckets.get(key) ?? { left: burst, at: now };
    return { left: Math.min(burst, left + (now - at) / refillMs), at: now };
  }
}
