// What clients ask for begins here. Many requests, handshakes or messages that arrive together begin a few milliseconds in each turn of the event
// loop, their callers one after the other.

import { FairQueue, TurnClock } from "../../core/transport.ts";

/** Something that a client has asked for. */
export interface Start {
  /** For whom it counts where many wait. Asked only then. */
  caller(): string;
  begin(): void;
}

/** Turns in a row that are left to connections. */
const maxRests = 128;

/** The beginnings of one server, for all its connections. */
export class Starts {
  readonly #waiting = new FairQueue<Start>();
  readonly #clock = new TurnClock();
  readonly #turnEnded: () => void;
  #isInTurn = false;
  /** A connection was accepted in this turn. */
  #hasAccepted = false;
  #rests = 0;

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
    if (this.#waiting.length === 0 && !this.#hasAccepted && !this.#clock.isOver) start.begin();
    else this.#waiting.push(start.caller(), start);
  }

  /**
   * A connection was accepted. The event loop accepts one in each turn, so turns are short while a crowd connects: whoever connects behind it would
   * wait for as many long turns.
   */
  accepted(): void {
    this.open();
    this.#hasAccepted = true;
  }

  /** The turn has begun, if it had not. */
  open(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    this.#clock.restart();
    setImmediate(this.#end);
  }

  /** In each turn of the event loop, whatever else takes turns: what others wait for is short. */
  readonly #end = (): void => {
    this.#isInTurn = false;
    this.#turnEnded();
    const rests = this.#hasAccepted && this.#rests < maxRests;
    this.#hasAccepted = false;
    this.#rests = rests ? this.#rests + 1 : 0;
    if (this.#waiting.length === 0) return;
    if (rests) this.open();
    else this.#beginSome();
  };

  #beginSome(): void {
    this.open();
    do this.#waiting.shift()?.begin();
    while (this.#waiting.length > 0 && !this.#clock.isOver);
  }
}
