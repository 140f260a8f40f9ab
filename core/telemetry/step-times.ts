// When the steps of one operation began and ended. Only observers that ask for it have operations timed.

import type { OperationSteps } from "../contracts/metrics.ts";

/** Begins with the preparation. Times are of `performance.now()`. */
export class StepTimes {
  readonly #begun = performance.now();
  #prepared: number | undefined;

  /** What follows is the run. */
  prepared(): void {
    this.#prepared = performance.now();
  }

  /** @param came when the request came */
  steps(came: number): OperationSteps {
    const now = performance.now();
    const prepared = this.#prepared ?? now;
    return { waitedMs: this.#begun - came, preparedMs: prepared - this.#begun, ranMs: now - prepared };
  }
}
