// What one caller may take of the server: requests at the same time, requests in a minute, what they read and write in a minute, and subscriptions.

import { LRUCache } from "lru-cache";
import { QuernError } from "../../ground/errors.ts";
import type { CallerLimits } from "../../ground/limits.ts";

/** A request of a caller that has taken its share. */
export class ShareTaken extends QuernError {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super("TOO_MANY_REQUESTS", message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A request that was let in. */
export interface Visit {
  /**
   * Reserves what the request will cost, as far as its plan shows.
   *
   * @throws ShareTaken when the caller has no such share left in this minute
   */
  reserve(cost: number): void;
  /** The request has ended, and has cost as much; undefined: what was reserved. */
  leave(cost?: number): void;
  /** The request did not happen. */
  undo(): void;
  /**
   * The request begins a subscription, also after `leave`. Returns a function that says, once, that it has ended.
   *
   * @throws ShareTaken when the caller has as many subscriptions as it may
   */
  subscribe(): () => void;
}

/** Callers that are remembered; the one that was idle for longest is forgotten first, and begins again with a whole share. */
const maxKnown = 100_000;

export class CallerShares {
  readonly #limits: CallerLimits;
  readonly #now: () => number;
  readonly #known = new LRUCache<string, Share>({ max: maxKnown });

  /** @param now milliseconds on any clock that does not go back */
  constructor(limits: CallerLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** @throws ShareTaken when the caller runs as many requests as it may, or has sent as many in this minute */
  enter(caller: string): Visit {
    const share = this.#known.get(caller) ?? this.#begin(caller);
    return share.enter(caller);
  }

  #begin(caller: string): Share {
    const share = new Share(this.#limits, this.#now);
    this.#known.set(caller, share);
    return share;
  }
}

class Share {
  readonly #maxRunning: number;
  readonly #maxSubscriptions: number;
  readonly #requests: Bucket;
  readonly #cost: Bucket;
  #running = 0;
  #subscriptions = 0;

  constructor({ maxRunning, maxRequestsPerMinute, maxCostPerMinute, maxSubscriptions }: CallerLimits, now: () => number) {
    this.#maxRunning = maxRunning;
    this.#maxSubscriptions = maxSubscriptions;
    this.#requests = new Bucket(maxRequestsPerMinute, now);
    this.#cost = new Bucket(maxCostPerMinute, now);
  }

  enter(caller: string): Visit {
    if (this.#running >= this.#maxRunning)
      throw this.#taken(caller, `runs ${this.#running} requests already`, { limit: "maxRunning", waitMs: 1_000 });
    const requestsMs = this.#requests.waitMs(1);
    if (requestsMs > 0) throw this.#taken(caller, "has sent as many requests as it may", { limit: "maxRequestsPerMinute", waitMs: requestsMs });
    const costMs = this.#cost.waitMs(0);
    if (costMs > 0) throw this.#tooCostly(caller, costMs);
    this.#running++;
    this.#requests.take(1);
    return this.#visit(caller);
  }

  #visit(caller: string): Visit {
    let reserved = 0;
    let isOver = false;
    const end = () => {
      if (isOver) return false;
      isOver = true;
      this.#running--;
      return true;
    };
    return {
      reserve: (cost) => {
        const asked = Math.min(cost, this.#cost.size);
        const waitMs = this.#cost.waitMs(asked);
        if (waitMs > 0) throw this.#tooCostly(caller, waitMs);
        this.#cost.take(asked);
        reserved += asked;
      },
      leave: (cost = reserved) => {
        if (end()) this.#cost.take(cost - reserved);
      },
      undo: () => {
        if (!end()) return;
        this.#requests.take(-1);
        this.#cost.take(-reserved);
      },
      subscribe: () => this.#subscribe(caller),
    };
  }

  #subscribe(caller: string): () => void {
    if (this.#subscriptions >= this.#maxSubscriptions)
      throw this.#taken(caller, `has ${this.#subscriptions} subscriptions already`, { limit: "maxSubscriptions", waitMs: 1_000 });
    this.#subscriptions++;
    let isOver = false;
    return () => {
      if (!isOver) this.#subscriptions--;
      isOver = true;
    };
  }

  #tooCostly(caller: string, waitMs: number): ShareTaken {
    return this.#taken(caller, "has read and written as much as it may", { limit: "maxCostPerMinute", waitMs });
  }

  #taken(caller: string, what: string, { limit, waitMs }: { readonly limit: keyof CallerLimits; readonly waitMs: number }): ShareTaken {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    return new ShareTaken(`The caller (${caller}) ${what} (limits.perCaller.${limit}). Try again in ${seconds} s.`, seconds);
  }
}

const minuteMs = 60_000;

/** Fills up within a minute. It may owe something: a request that cost more than was reserved for it. */
class Bucket {
  readonly size: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(size: number, now: () => number) {
    this.size = size;
    this.#now = now;
    this.#left = size;
    this.#at = now();
  }

  /** How long until it holds `amount`, and owes nothing; 0: it does. */
  waitMs(amount: number): number {
    this.#fill();
    const missing = amount - this.#left;
    return missing <= 0 ? 0 : (missing / this.size) * minuteMs;
  }

  /** @param amount below 0: gives back */
  take(amount: number): void {
    this.#fill();
    this.#left = Math.min(this.size, this.#left - amount);
  }

  #fill(): void {
    if (this.size === Number.POSITIVE_INFINITY) return;
    const now = this.#now();
    this.#left = Math.min(this.size, this.#left + ((now - this.#at) / minuteMs) * this.size);
    this.#at = now;
  }
}
