// Turns of the event loop. Long work of all requests takes them one after the other, so that input and output get their chance between two of
// them, however many requests run.

import { Fifo } from "./fifo.ts";

/** How long work may go on in one turn, in milliseconds, before it waits for the next one. */
const turnMs = 5;

/** Iterations of the event loop that a turn gives up at most after one that was too long. */
const maxRests = 32;
/** Iterations that a turn gives up at most while connections are accepted. */
const maxPutOff = 128;

const waiting = new Fifo<() => void>();
let isScheduled = false;
let begun = 0;
let rests = 0;
let putOff = 0;

/**
 * Resolves in a later turn of the event loop, which then belongs to the caller alone. Callers take turns in the order in which they ask.
 *
 * `setImmediate` alone would run the work of all callers in one turn: sixty of 5 ms each stop everything else for 300 ms. After a turn that took the
 * time of several the loop iterates as often before the next one: it accepts one connection in each iteration.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(pass);
  });
}

/** Turns are put off for one iteration of the event loop, so many times in a row at most: a connection was accepted, and the next one may be waiting. */
export function putOffTurns(): void {
  if (putOff >= maxPutOff) return;
  putOff++;
  rests = Math.max(rests, 1);
}

function pass(): void {
  const next = rests > 0 ? undefined : waiting.shift();
  if (rests > 0) {
    rests--;
    setImmediate(pass);
  } else if (next) {
    begun = performance.now();
    putOff = 0;
    setImmediate(measure);
    next();
  } else {
    isScheduled = false;
  }
}

/** The turn is over. */
function measure(): void {
  rests = Math.max(rests, Math.min(maxRests, Math.floor((performance.now() - begun) / turnMs)));
  pass();
}

/** Signals work that has used up its turn. */
export class TurnClock {
  #since = performance.now();

  /** Whether the turn has used up its time. */
  get isOver(): boolean {
    return performance.now() - this.#since >= turnMs;
  }

  /** A new turn begins. */
  restart(): void {
    this.#since = performance.now();
  }
}
