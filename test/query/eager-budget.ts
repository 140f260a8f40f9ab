// A budget by which work takes every turn that it may take.

import { defaultLimits } from "../../core/ground/limits.ts";
import { RequestBudget } from "../../core/request/budget/budget.ts";

/** The most rows of a sort between two looks at the clock. */
export const blockRows = 512;

/** Every look finds that the turn is over. */
export class EagerBudget extends RequestBudget {
  turns = 0;

  constructor() {
    super({ limits: { ...defaultLimits, maxTimeMs: 600_000 } });
  }

  override get isTurnOver(): boolean {
    return true;
  }

  override async turn(): Promise<void> {
    this.turns++;
  }
}
