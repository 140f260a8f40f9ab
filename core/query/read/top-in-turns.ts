// Filters, orders and cuts many rows in turns: other requests run between.

import type { MaybePromise } from "../../ground/values/value.ts";
import { type Steps, type TopRequest, topInSteps } from "../evaluate/top-in-steps.ts";
import type { OperationBudget } from "../operation-context.ts";

type Turns = Pick<OperationBudget, "isTurnOver" | "turn" | "spend">;

/** The same as `topK` of the rows that pass. At once when they are few. */
export function topInTurns<Row extends object>(rows: readonly Row[], request: TopRequest<Row>, budget: Turns): MaybePromise<Row[]> {
  const steps = topInSteps(rows, request);
  const first = steps.next();
  return first.done === true ? first.value : rest(steps, budget);
}

async function rest<Row>(steps: Steps<Row[]>, budget: Turns): Promise<Row[]> {
  for (;;) {
    budget.spend(0);
    if (budget.isTurnOver) await budget.turn();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
