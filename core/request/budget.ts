// Counts what one request spends and ends it when it is over.

import type { Budget } from "../contracts/budget.ts";
import { QuernError } from "../ground/errors.ts";

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

  constructor(maxTimeMs: number, maxTouched: number, onGone?: (listener: () => void) => void, begun = performance.now()) {
    this.begun = begun;
    this.deadline = begun + maxTimeMs;
    this.#maxTimeMs = maxTimeMs;
    this.#maxTouched = maxTouched;
    onGone?.(() => {
      this.#gone = true;
    });
  }

  spend(nodes: number): void {
    this.touched += nodes;
    if (this.#gone) throw this.#end("cancelled", new QuernError("CANCELLED", "The client has gone."));
    if (this.touched > this.#maxTouched) throw this.#end("limit", this.#tooMany());
    if (performance.now() > this.deadline) throw this.#end("limit", this.#tooLate());
  }

  #end(why: "limit" | "cancelled", error: QuernError): QuernError {
    this.ended = why;
    return error;
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
