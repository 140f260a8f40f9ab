// Work that stops where others may run.

import { nextTurn, TurnClock } from "./turns.ts";

/** Yields after each piece of work of less than a millisecond; returns the result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** The result, in one turn of the event loop. */
export function finishAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The result, with turns of the event loop for others between. For work that counts for no request. */
export async function finishInOwnTurns<Result>(steps: Steps<Result>): Promise<Result> {
  const clock = new TurnClock();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (!clock.isOver) continue;
    await nextTurn();
    clock.restart();
  }
}
