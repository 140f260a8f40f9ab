// Work that runs at once where it can and waits where it must: a generator that yields only what has to be awaited.

import type { MaybePromise } from "../../../core/index.ts";

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

/** Long enough to be worth a pause, short enough that nobody notices. */
const sliceMs = 5;

/** Lets others run between slices of work. */
export class Pace {
  #since = performance.now();

  *pauseIfDue(): Work<void> {
    if (performance.now() - this.#since < sliceMs) return;
    yield new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
