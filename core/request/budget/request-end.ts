// When a request must end: its time is up, or its client has gone.

import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";
import type { Allowance, Closing, Patience } from "../../ground/patience.ts";
import { TransactionScope } from "../../ground/transaction-scope.ts";

/** `setTimeout` takes no longer ones. */
const longestTimerMs = 2 ** 31;

/** A hook that minds its signal ends by itself, and the store ends its reads: both errors say more than that a hook has not settled. */
const graceMs = 250;

export interface RequestEndOptions {
  readonly limits: Pick<Limits, "maxTimeMs" | "hookMs">;
  /** Calls its listener when the client no longer waits. */
  readonly onGone?: ((listener: () => void) => void) | undefined;
  /** When the request came, in milliseconds of `performance.now()`. */
  readonly begun?: number | undefined;
  /** Ends what plugins do for the request when the kernel closes. Undefined: the request belongs to no kernel. */
  readonly closing?: Closing | undefined;
}

export class RequestEnd implements Patience {
  /** In milliseconds of `performance.now()`. */
  readonly begun: number;
  readonly deadline: number;
  /** Why the work has ended. */
  ended: "limit" | "cancelled" | undefined;
  readonly #maxTimeMs: number;
  readonly #hookMs: number;
  readonly #closing: Closing | undefined;
  /** Transactions of the request that run. */
  #transactions = 0;
  #isGone = false;
  /** Made when something asks for the signal. */
  #abortion: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #whenGone: (() => void) | undefined;

  constructor({ limits, onGone, begun = performance.now(), closing }: RequestEndOptions) {
    this.begun = begun;
    this.deadline = begun + limits.maxTimeMs;
    this.#maxTimeMs = limits.maxTimeMs;
    this.#hookMs = limits.hookMs;
    this.#closing = closing;
    onGone?.(() => {
      this.#isGone = true;
      if (this.#abortion) this.#abort();
      this.#whenGone?.();
    });
  }

  get signal(): AbortSignal {
    if (this.#abortion) return this.#abortion.signal;
    this.#abortion = new AbortController();
    const left = Math.max(0, this.deadline - performance.now());
    if (this.#isGone) this.#abort();
    else if (left < longestTimerMs) this.#timer = setTimeout(() => this.#abort(), left).unref();
    return this.#abortion.signal;
  }

  #abort(): void {
    this.#abortion?.abort(this.#isGone ? this.#cancelled() : this.endedBy(this.tooLate()));
  }

  /** @throws `CANCELLED` when the client has gone */
  protected assertAwaited(): void {
    if (this.#isGone) throw this.#cancelled();
  }

  /** @throws `LIMIT_REACHED` when the deadline has passed */
  protected assertInTime(): void {
    if (performance.now() > this.deadline) throw this.endedBy(this.tooLate());
  }

  /** The request ends by an exceeded limit. */
  protected endedBy(limit: QuernError): QuernError {
    this.ended = "limit";
    return limit;
  }

  #cancelled(): QuernError {
    this.ended = "cancelled";
    return new QuernError("CANCELLED", "The client has gone.");
  }

  tooLate(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The request took longer than ${this.#maxTimeMs} ms (limits.maxTimeMs). Narrow its filter, or read page by page.`,
    );
  }

  /** Hooks may take as long as the request; while it holds a transaction open, for which others wait, less. */
  allow(): Allowance {
    const now = performance.now();
    const closing = this.#closing;
    const end = Math.max(this.deadline, now) + graceMs;
    if (this.#transactions > 0) return { until: Math.min(now + this.#hookMs, end), limit: `within ${this.#hookMs} ms (limits.hookMs)`, closing };
    return { until: end, limit: `within the time of the request, ${this.#maxTimeMs} ms (limits.maxTimeMs)`, closing };
  }

  /** Runs what the request does in a transaction. @param work gets what its hooks do there */
  async transacting<T>(work: (scope: TransactionScope) => Promise<T>): Promise<T> {
    const scope = new TransactionScope({ hookMs: this.#hookMs, deadline: this.deadline + graceMs, closing: this.#closing });
    this.#transactions++;
    try {
      return await work(scope);
    } finally {
      scope.end();
      this.#transactions--;
    }
  }

  onGone(listener: () => void): void {
    if (this.#isGone) listener();
    else this.#whenGone = listener;
  }

  /** No timer stays behind. */
  close(): void {
    clearTimeout(this.#timer);
  }
}
