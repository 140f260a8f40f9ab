// Counts what one request spends and ends it when it is over.

import type { Budget } from "../contracts/budget.ts";
import { QuernError } from "../errors.ts";

export class RequestBudget implements Budget {
  touched = 0;
  readonly deadline: number;
  readonly #maxTimeMs: number;
  readonly #maxTouched: number;
  #gone = false;

  constructor(maxTimeMs: number, maxTouched: number, onGone?: (listener: () => void) => void) {
    this.deadline = performance.now() + maxTimeMs;
    this.#maxTimeMs = maxTimeMs;
    this.#maxTouched = maxTouched;
    onGone?.(() => {
      this.#gone = true;
    });
  }

  spend(nodes: number): void {
    this.touched += nodes;
    if (this.#gone) throw new QuernError("CANCELLED", "The client has gone.");
    if (this.touched > this.#maxTouched) {
      throw new QuernError(
        "LIMIT_REACHED",
        `The request touches more than ${this.#maxTouched} nodes (limits.maxTouchedNodes). Narrow its filter, or read page by page.`,
      );
    }
    if (performance.now() > this.deadline) {
      throw new QuernError(
        "LIMIT_REACHED",
        `The request took longer than ${this.#maxTimeMs} ms (limits.maxTimeMs). Narrow its filter, or read page by page.`,
      );
    }
  }
}
