// Frames that go to one connection in one turn of the event loop are handed to the system together.

import { nextTick } from "node:process";

/** A frame waits no longer than this for others, because a turn of live queries may last for milliseconds. */
const gatherMs = 1;

/** A connection that holds frames back. */
export interface Holding {
  release(): void;
}

/** The connections of a server that hold frames back. To write what several queries have sent at once saves a system call for each, as long as a short query. */
export class GatheredFrames {
  #holding: Holding[] = [];
  #since = 0;

  /** `connection` holds back what it sends, until it is released. */
  hold(connection: Holding): void {
    if (this.#holding.push(connection) > 1) return;
    this.#since = performance.now();
    nextTick(() => this.release());
  }

  releaseWhenDue(): void {
    if (performance.now() - this.#since > gatherMs) this.release();
  }

  release(): void {
    const released = this.#holding;
    this.#holding = [];
    for (const each of released) each.release();
  }
}
