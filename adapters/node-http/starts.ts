// What clients ask for begins here. Many requests, handshakes or messages that arrive together begin a few milliseconds in each turn of the event
// loop, their callers one after the other.

import { FairQueue, nextTurn, TurnClock } from "../../core/transport.ts";

/** Something that a client has asked for. */
export interface Start {
  /** For whom it counts where many wait. Asked only then. */
  caller(): string;
  begin(): void;
}

export class Starts {
  readonly #waiting = new FairQueue<Start>();
  readonly #clock = new TurnClock();
  readonly #turnEnded: () => void;
  #isInTurn = false;
  #isPassing = false;

  /** @param turnEnded called at the end of each turn in which something began or `open` was called */
  constructor(turnEnded: () => void = () => undefined) {
    this.#turnEnded = turnEnded;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Begins it now, or later. What waits of one caller begins in its order. */
  add(start: Start): void {
    this.open();
    if (this.#waiting.length === 0 && !this.#clock.isOver) start.begin();
    else this.#wait(start);
  }

  /** The turn has begun, if it had not. */
  open(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    this.#clock.restart();
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#isInTurn = false;
    this.#turnEnded();
  };

  #wait(start: Start): void {
    this.#waiting.push(start.caller(), start);
    if (!this.#isPassing) void this.#pass();
  }

  async #pass(): Promise<void> {
    this.#isPassing = true;
    while (this.#waiting.length > 0) {
      await nextTurn();
      this.#beginSome(new TurnClock());
    }
    this.#isPassing = false;
  }

  #beginSome(clock: TurnClock): void {
    do this.#waiting.shift()?.begin();
    while (this.#waiting.length > 0 && !clock.isOver);
    this.open();
  }
}
