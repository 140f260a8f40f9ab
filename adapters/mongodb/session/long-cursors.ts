// Cursors of one request that have more than one batch: few of them are read at the same time, since what each has found is in memory until it is answered.
// A hundred root fields of 63,000 nodes each, of which 32 run side by side, would hold two million documents.

import type { Budget } from "../../../core/storage.ts";

const mostAtOnce = 2;

const ofBudgets = new WeakMap<Budget, LongCursors>();

/** Those of the request that has this budget. */
export function longCursorsOf(budget: Budget): LongCursors {
  let known = ofBudgets.get(budget);
  if (known === undefined) {
    known = new LongCursors();
    ofBudgets.set(budget, known);
  }
  return known;
}

export class LongCursors {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when a further one may be read; `leave` ends it. First come, first served. */
  async enter(): Promise<void> {
    if (this.#running < mostAtOnce) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The next one takes the place. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
