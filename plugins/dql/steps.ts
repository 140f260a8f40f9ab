// Work that stops where others may run.

/** Yields after each piece of work of less than a millisecond; returns the result. */
export type Steps<T> = Generator<void, T, void>;

/** The result, in one turn of the event loop. */
export function finishAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
