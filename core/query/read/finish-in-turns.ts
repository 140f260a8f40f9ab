// Runs work that is cut into steps: other requests run between.

import type { Steps } from "../../ground/steps.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { OperationBudget } from "../operation-context.ts";

/** What work in turns needs of an operation's budget. */
export type Turns = Pick<OperationBudget, "isTurnOver" | "turn" | "spend">;

/**
 * The result, at once when it takes no longer than a turn.
 *
 * @throws what `steps` throw, or the error of an operation that has used up its time; or rejects with it
 */
export function finishInTurns<Result>(steps: Steps<Result>, budget: Turns): MaybePromise<Result> {
  const ended = finishWithinTurn(steps, budget);
  return "value" in ended ? ended.value : rest(ended, steps, budget);
}

async function rest<Result>(turn: PromiseLike<void>, steps: Steps<Result>, budget: Turns): Promise<Result> {
  for (let ended: Ended<Result> = turn; ; ) {
    await ended;
    ended = finishWithinTurn(steps, budget);
    if ("value" in ended) return ended.value;
  }
}

/** The end, or the beginning of the next turn. */
type Ended<Result> = { readonly value: Result } | PromiseLike<void>;

function finishWithinTurn<Result>(steps: Steps<Result>, budget: Turns): Ended<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step;
    budget.spend(0);
    if (budget.isTurnOver) return budget.turn();
  }
}
