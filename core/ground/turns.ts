// Turns of the event loop. Long work of all requests takes them one after the other, so that input and output get their chance between two of
// them, however many requests run.

import { Fifo } from "./fifo.ts";

/** How long work may go on in one turn, in milliseconds, before it waits for the next one. */
export const turnMs = 5;

const waiting = new Fifo<() => void>();
let isScheduled = false;

/**
 * Resolves in a later turn of the event loop, which then belongs to the caller alone. Callers take turns in the order in which they ask.
 *
 * `setImmediate` alone would run the work of all callers in one turn: sixty of 5 ms each stop everything else for 300 ms.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  });
}

/** Signals work that has used up its turn. */
export class TurnClock {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since >= turnMs;
  }

  /** A new turn begins. */
  restart(): void {
    this.#since = performance.now();
  }
}
