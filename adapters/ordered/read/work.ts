// Work that runs synchronously as far as it can: a generator that yields only promises it must wait for.

import { type Budget, type MaybePromise, nextTurn, type Steps, TurnClock } from "../../../core/storage.ts";

export type Work<T> = Generator<PromiseLike<unknown>, T, undefined>;

/** Runs to the end on this thread if nothing is yielded, else as a promise. */
export function settle<T>(work: Work<T>): MaybePromise<T> {
  const step = work.next();
  return step.done === true ? step.value : resume(work, step.value);
}

async function resume<T>(work: Work<T>, first: PromiseLike<unknown>): Promise<T> {
  let step: IteratorResult<PromiseLike<unknown>, T> = { done: false, value: first };
  while (step.done !== true) {
    try {
      await step.value;
    } catch (reason) {
      step = work.throw(reason);
      continue;
    }
    step = work.next();
  }
  return step.value;
}

/** Lets others run between slices of work. */
export class Pace {
  readonly #clock = new TurnClock();
  readonly #budget: Budget | undefined;

  /** @param budget of the request that the work is for */
  constructor(budget?: Budget) {
    this.#budget = budget;
  }

  get isDue(): boolean {
    return this.#clock.isOver;
  }

  /** The result of work that is cut into steps; others run between them. */
  *run<T>(steps: Steps<T>): Work<T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      yield* this.pauseIfDue();
    }
  }

  *pauseIfDue(): Work<void> {
    if (!this.isDue) return;
    yield this.#budget?.turn?.() ?? nextTurn();
    this.#clock.restart();
  }
}
