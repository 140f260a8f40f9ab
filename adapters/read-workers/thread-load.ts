// Whether this thread has all the work that it can do.

import { performance } from "node:perf_hooks";

/** The share of a window in which the event loop did not wait. */
const fullShare = 0.9;
/** How long a window is at least, in milliseconds: a single long run fills no window. */
const windowMs = 250;

export class ThreadLoad {
  #since = performance.eventLoopUtilization();
  #begun = performance.now();
  #isFull = false;

  /** As the last window was. It is asked often, and looks once in a window. */
  get isFull(): boolean {
    const now = performance.now();
    if (now - this.#begun < windowMs) return this.#isFull;
    const current = performance.eventLoopUtilization();
    this.#isFull = performance.eventLoopUtilization(current, this.#since).utilization >= fullShare;
    this.#since = current;
    this.#begun = now;
    return this.#isFull;
  }
}
