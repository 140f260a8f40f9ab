// Counts what one request spends and ends it when it is over.

import type { Budget } from "../contracts/budget.ts";
import { QuernError } from "../ground/errors.ts";

/** `setTimeout` takes no longer ones. */
const longestTimerMs = 2 ** 31;

export class RequestBudget implements Budget {
  touched = 0;
  /** In milliseconds of `performance.now()`. */
  readonly begun: number;
  readonly deadline: number;
  /** Why it has ended the work. */
  ended: "limit" | "cancelled" | undefined;
  readonly #maxTimeMs: number;
  readonly #maxTouched: number;
  #gone = false;
  /** Made when something asks for the signal. */
  #abortion: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxTimeMs: number, maxTouched: number, onGone?: (listener: () => void) => void, begun = performance.now()) {
    this.begun = begun;
    this.deadline = begun + maxTimeMs;
    this.#maxTimeMs = maxTimeMs;
    this.#maxTouched = maxTouched;
    onGone?.(() => {
      this.#gone = true;
      if (this.#abortion) this.#abort(this.#cancelled());
    });
  }

  get signal(): AbortSignal {
    if (this.#abortion) return this.#abortion.signal;
    this.#abortion = new AbortController();
    const left = Math.max(0, this.deadline - performance.now());
    if (this.#gone) this.#abort(this.#cancelled());
    else if (left < longestTimerMs) this.#timer = setTimeout(() => this.#abort(this.#tooLate()), left).unref();
    return this.#abortion.signal;
  }

  /** The request is answered: no timer stays behind. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #abort(reason: QuernError): void {
    this.#end(this.#gone ? "cancelled" : "limit", reason);
    this.#abortion?.abort(reason);
  }

  spend(nodes: number): void {
    this.touched += nodes;
    if (this.#gone) throw this.#end("cancelled", this.#cancelled());
    if (this.touched > this.#maxTouched) throw this.#end("limit", this.#tooMany());
    if (performance.now() > this.deadline) throw this.#end("limit", this.#tooLate());
  }

  #end(why: "limit" | "cancelled", error: QuernError): QuernError {
    this.ended = why;
    return error;
  }

  #cancelled(): QuernError {
    return new QuernError("CANCELLED", "The client has gone.");
  }

  #tooMany(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The request touches more than ${this.#maxTouched} nodes (limits.maxTouchedNodes). Narrow its filter, or read page by page.`,
    );
  }

  #tooLate(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The request took longer than ${this.#maxTimeMs} ms (limits.maxTimeMs). Narrow its filter, or read page by page.`,
    );
  }
}
