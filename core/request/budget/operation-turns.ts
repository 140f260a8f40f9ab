// The turns of the event loop that a request takes.

import { nextTurn, TurnClock } from "../../ground/turns.ts";

/** Turns after which a request counts as long. */
const turnsOfShort = 4;

export class OperationTurns {
  /** Those that count: it had to let other requests run. */
  used = 0;
  #clock: TurnClock | undefined;

  get areMany(): boolean {
    return this.used > turnsOfShort;
  }

  /** The clock begins at the first look. */
  get isOver(): boolean {
    this.#clock ??= new TurnClock();
    return this.#clock.isOver;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#clock?.restart();
  }
}
