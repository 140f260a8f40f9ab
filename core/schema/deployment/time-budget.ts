// The budget of reads that a deploy makes for its report: they end at a deadline, and their failure refuses nothing.

import type { Budget } from "../../contracts/budget.ts";
import { QuernError } from "../../ground/errors.ts";

export class TimeBudget implements Budget {
  touched = 0;
  readonly deadline: number;
  readonly #message: string;

  /**
   * @param deadline in milliseconds of `performance.now()`
   * @param message of the error at the deadline
   */
  constructor(deadline: number, message: string) {
    this.deadline = deadline;
    this.#message = message;
  }

  /** @throws `LIMIT_REACHED` after the deadline */
  spend(nodes: number): void {
    this.touched += nodes;
    if (performance.now() > this.deadline) throw new QuernError("LIMIT_REACHED", this.#message);
  }
}
