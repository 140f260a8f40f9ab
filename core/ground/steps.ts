// Work that stops where others may run.

/** Yields after each piece of work of less than a millisecond; returns the result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** The result, in one turn of the event loop. */
export function finishAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
