// Requests with documents that the server does not know. They are parsed, validated and planned a few at a time, for a few milliseconds in each turn of
// the event loop, one caller after the other. Requests with known documents pass them by.

import type { QuernError } from "../../ground/errors.ts";
import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import { nextTurn, TurnClock } from "../../ground/turns.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { type Guest, WaitingRoom } from "./waiting-room.ts";

export interface PreparationsOptions {
  readonly maxWaiting: number;
  readonly overloaded: (waiting: number) => QuernError;
}

/** A request with a new document. */
export interface NewRequest extends Pick<Guest, "deadline" | "tooLate" | "onGone"> {
  /** Asked only when it has to wait. */
  caller(): MaybePromise<string>;
  /** Asked when it is likely to be refused: the caller is not to be verified for that. */
  unverifiedCaller(): string;
}

/** Never throws or rejects. @param prepared is to be called when the document is prepared; the end says so too */
type Preparation<T> = (prepared: () => void) => MaybePromise<T>;

/** Documents in preparation at the same time: one may wait for what a plugin asks elsewhere. */
const maxPreparing = 2;

export class Preparations {
  readonly #room: WaitingRoom;
  /** One has begun in this turn of the event loop as soon as it came. */
  #isTurnTaken = false;
  #preparing = 0;
  #isPassing = false;

  constructor(options: PreparationsOptions) {
    this.#room = new WaitingRoom(options);
  }

  get waiting(): number {
    return this.#room.length;
  }

  /** Whether one waits, or is being prepared. */
  get isBusy(): boolean {
    return this.#preparing > 0 || this.waiting > 0;
  }

  /** Begins `work` now, or when it is the turn of the request. Rejects with `OVERLOADED`, `CANCELLED`, `LIMIT_REACHED`. */
  run<T>(request: NewRequest, work: Preparation<T>): MaybePromise<T> {
    if (!this.#mayBegin)
      return andThen(this.#room.isFull ? request.unverifiedCaller() : request.caller(), (caller) => this.#wait({ ...request, caller }, work));
    this.#takeTurn();
    return this.#begin(work);
  }

  /** One in each turn. Were it more, the beginnings of requests, which others wait for, would hold their preparation too. */
  get #mayBegin(): boolean {
    return !this.#isTurnTaken && this.#room.length === 0 && this.#preparing < maxPreparing;
  }

  #takeTurn(): void {
    this.#isTurnTaken = true;
    setImmediate(() => {
      this.#isTurnTaken = false;
    });
  }

  #begin<T>(work: Preparation<T>): MaybePromise<T> {
    this.#preparing++;
    let isPrepared = false;
    const prepared = () => {
      if (isPrepared) return;
      isPrepared = true;
      this.#preparing--;
      this.#passLater();
    };
    const ended = (result: T) => {
      prepared();
      return result;
    };
    const result = work(prepared);
    return isPromise(result) ? result.then(ended) : ended(result);
  }

  #wait<T>(request: Omit<NewRequest, "caller"> & Pick<Guest, "caller">, work: Preparation<T>): Promise<T> {
    return new Promise((resolve, refuse) => {
      this.#room.add({ ...request, begin: () => resolve(this.#begin(work)), refuse });
      this.#passLater();
    });
  }

  #passLater(): void {
    if (!this.#isPassing && this.#mayPass) void this.#pass();
  }

  get #mayPass(): boolean {
    return this.#room.length > 0 && this.#preparing < maxPreparing;
  }

  async #pass(): Promise<void> {
    this.#isPassing = true;
    while (this.#mayPass) {
      await nextTurn();
      const clock = new TurnClock();
      while (this.#mayPass && !clock.isOver) {
        this.#room.beginNext();
        // What it runs when it is prepared belongs to the turn.
        await undefined;
      }
    }
    this.#isPassing = false;
  }
}
