// Which call's code runs in a thread, known to the thread that ends it: one that is stuck, exits or needs too much memory cannot say so itself.

import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { begunCell, type CallCells, runningCell } from "../thread/messages.ts";

export class RunningCalls {
  readonly #cells: CallCells;
  readonly #ids = new AsyncLocalStorage<number>();

  constructor(cells: CallCells) {
    this.#cells = cells;
    // What a call does after it has waited counts as well.
    const before = () => Atomics.store(cells, runningCell, this.#ids.getStore() ?? 0);
    const after = () => Atomics.store(cells, runningCell, 0);
    createHook({ before, after }).enable();
  }

  /** Runs the beginning of a call. */
  run(id: number, work: () => void): void {
    Atomics.store(this.#cells, begunCell, id);
    Atomics.store(this.#cells, runningCell, id);
    this.#ids.run(id, work);
    Atomics.store(this.#cells, runningCell, 0);
  }
}
