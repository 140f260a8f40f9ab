// Requests that work for long. They hold much memory until they are answered, so few of them work at the same time; the others wait, one caller
// after the other. Short requests pass them by.

import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";
import { type Guest, WaitingRoom } from "./waiting-room.ts";
import { WaitingRooms } from "./waiting-rooms.ts";

/** As many as the limits say; half of what clients may leave unsent stops the next one, and so does an eighth of it that short requests keep. */
export function longWorkWithin({ maxLongRequests, maxWaitingLongRequests, maxUnsentBytes }: Limits, all?: AllLongWork): LongWork {
  const options = {
    maxRunning: maxLongRequests,
    maxWaiting: maxWaitingLongRequests,
    maxUnsentBytes: maxUnsentBytes / 2,
    maxKeptBytes: maxUnsentBytes / 8,
  };
  return new LongWork(options, all);
}

/** What the long requests of all kernels take that share it. */
export class AllLongWork {
  readonly rooms = new WaitingRooms();
  running = 0;
  unsentBytes = 0;
  keptBytes = 0;
}

export interface LongWorkOptions {
  /** How many work at the same time. */
  readonly maxRunning: number;
  /** How many wait; a further one is refused. */
  readonly maxWaiting: number;
  /** While more answered bytes than these are not sent yet, no further one begins. */
  readonly maxUnsentBytes: number;
  /** While all other requests keep more bytes than these of what storage has read for them, each that reads on counts as long. */
  readonly maxKeptBytes: number;
}

/** A request that waits, or works. */
export type LongRequest = Pick<Guest, "caller" | "deadline" | "tooLate"> & Required<Pick<Guest, "onGone">>;

/** The long work of one kernel. */
export class LongWork {
  readonly #options: LongWorkOptions;
  readonly #all: AllLongWork;
  readonly #room: WaitingRoom;
  #running = 0;

  constructor(options: LongWorkOptions, all = new AllLongWork()) {
    this.#options = options;
    this.#all = all;
    this.#room = new WaitingRoom({ maxWaiting: options.maxWaiting, overloaded: () => this.#overloaded() });
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#room.length;
  }

  /** What storage has read for requests that do not count as long, and keeps. */
  get keptBytes(): number {
    return this.#all.keptBytes;
  }

  /** Such requests keep so much that they should not read on. */
  get isCrowded(): boolean {
    return this.#all.keptBytes > this.#options.maxKeptBytes;
  }

  /** Requests that do not count as long keep more, or less. */
  keep(change: number): void {
    this.#all.keptBytes += change;
  }

  /** True: the request works until `leave`. False: it would have to wait. */
  enterAtOnce(): boolean {
    if (!this.#isFree) return false;
    this.#all.running++;
    this.#running++;
    return true;
  }

  /** Resolves when the request may go on; from then on it works until `leave`. Errors: `OVERLOADED`, `CANCELLED`, `LIMIT_REACHED`. */
  enter(request: LongRequest): Promise<void> {
    if (this.enterAtOnce()) return Promise.resolve();
    return new Promise((resolve, refuse) => {
      const begin = () => {
        this.#running++;
        resolve();
      };
      this.#room.add({
        caller: request.caller,
        deadline: request.deadline,
        tooLate: () => request.tooLate(),
        onGone: (listener) => request.onGone(listener),
        begin,
        refuse,
      });
      this.#all.rooms.add(this.#room);
    });
  }

  leave(): void {
    this.#running--;
    this.#all.running--;
    this.#beginNext();
  }

  /** Bytes of answers that no client has taken yet have become more, or fewer. */
  unsent(change: number): void {
    this.#all.unsentBytes += change;
    if (change < 0) this.#beginNext();
  }

  get #isFree(): boolean {
    return this.#all.running < this.#options.maxRunning && this.#all.unsentBytes <= this.#options.maxUnsentBytes;
  }

  #beginNext(): void {
    while (this.#isFree) {
      this.#all.running++;
      if (this.#all.rooms.beginNext()) continue;
      this.#all.running--;
      return;
    }
  }

  #overloaded(): QuernError {
    const { maxRunning, maxWaiting } = this.#options;
    return new QuernError(
      "OVERLOADED",
      `As many long requests run as may (${maxRunning}, limits.maxLongRequests), and as many wait (${maxWaiting}, limits.maxWaitingLongRequests). Try again in a moment.`,
    );
  }
}
