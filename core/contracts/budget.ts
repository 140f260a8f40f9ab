// The limits of one request, as a storage sees them.

import { nextTurn, TurnClock } from "../ground/turns.ts";
import type { Turns } from "../ground/work.ts";

/**
 * What one request may still spend. The kernel creates one for each request and passes it in `ReadOptions`. A storage calls `spend` at
 * least every 256 rows, so that a limit, a deadline or a disconnected client ends the work early:
 *
 *     for (const row of rows) {
 *       if (++count % 256 === 0) options.budget?.spend(256);
 *       ...
 *     }
 */
export interface Budget {
  /** How many nodes the request has read and written so far. */
  readonly touched: number;
  /** When the request must end, in milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /**
   * Adds `nodes` to `touched`.
   *
   * @throws `LIMIT_REACHED` when the deadline has passed or a limit is exceeded, `CANCELLED` when the client has disconnected
   */
  spend(nodes: number): void;
  /** Aborts when `spend` would throw: for work that waits for something other than the storage. Undefined: the work has no such end. */
  readonly signal?: AbortSignal;
  /**
   * Waits for the request's next turn. A storage that works on the event loop's thread awaits it after 5 ms without a pause: other requests run
   * between, and one that works for long waits until few others do. Rejects as `spend` throws. Undefined: the work takes turns by `nextTurn`.
   *
   *     if (clock.isOver) {
   *       await (options.budget?.turn?.() ?? nextTurn());
   *       clock.restart();
   *     }
   */
  turn?(): PromiseLike<void>;
  /**
   * Counts `bytes` that the storage has read from elsewhere, such as a database server, and keeps in memory until the request is answered; negative: it has
   * dropped so many. True: all requests together keep too much, and the next `turn` waits until few others work for long. The storage then drops what it can
   * read again, before it awaits the turn and reads on. Undefined: nothing counts them.
   *
   *     docs.push(...some);
   *     if (options.budget?.keep?.(bytesOf(some))) {
   *       options.budget.keep(-bytesOf(docs));
   *       docs = [];
   *       await options.budget.turn?.();
   *       ...
   *     }
   */
  keep?(bytes: number): boolean;
}

/** The turns of a storage's work for a request: for `run`. A `budget` without turns, or none: turns of 5 ms each. */
export function turnsOf(budget: Budget | undefined): Turns {
  return new BudgetTurns(budget);
}

class BudgetTurns implements Turns {
  readonly #budget: Budget | undefined;
  readonly #clock = new TurnClock();

  constructor(budget: Budget | undefined) {
    this.#budget = budget;
  }

  get isTurnOver(): boolean {
    return this.#clock.isOver;
  }

  spend(nodes: number): void {
    this.#budget?.spend(nodes);
  }

  async turn(): Promise<void> {
    await (this.#budget?.turn?.() ?? nextTurn());
    this.#clock.restart();
  }
}
