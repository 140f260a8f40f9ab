// When a request must end: its time is up, or its client has gone.

import { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";

/** `setTimeout` takes no longer ones. */
const longestTimerMs = 2 ** 31;

export interface RequestEndOptions {
  readonly limits: Pick<Limits, "maxTimeMs">;
  /** Calls its listener when the client no longer waits. */
  readonly onGone?: ((listener: () => void) => void) | undefined;
  /** When the request came, in milliseconds of `performance.now()`. */
  readonly begun?: number | undefined;
}

export class RequestEnd {
  /** In milliseconds of `performance.now()`. */
  readonly begun: number;
  readonly deadline: number;
  /** Why the work has ended. */
  why: "limit" | "cancelled" | undefined;
  readonly #maxTimeMs: number;
  #isGone = false;
  /** Made when something asks for the signal. */
  #abortion: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #whenGone: (() => void) | undefined;

  constructor({ limits, onGone, begun = performance.now() }: RequestEndOptions) {
    this.begun = begun;
    this.deadline = begun + limits.maxTimeMs;
    this.#maxTimeMs = limits.maxTimeMs;
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
    this.#abortion?.abort(this.#isGone ? this.#cancelled() : this.by(this.tooLate()));
  }

  /** @throws `CANCELLED` when the client has gone */
  assertAwaited(): void {
    if (this.#isGone) throw this.#cancelled();
  }

  /** @throws `LIMIT_REACHED` when the deadline has passed */
  assertInTime(): void {
    if (performance.now() > this.deadline) throw this.by(this.tooLate());
  }

  /** The request ends by an exceeded limit. */
  by(limit: QuernError): QuernError {
    this.why = "limit";
    return limit;
  }

  #cancelled(): QuernError {
    this.why = "cancelled";
    return new QuernError("CANCELLED", "The client has gone.");
  }

  tooLate(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The request took longer than ${this.#maxTimeMs} ms (limits.maxTimeMs). Narrow its filter, or read page by page.`,
    );
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
