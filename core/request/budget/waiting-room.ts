// Requests that wait: so many at most, callers one after the other, each until its time is up or its client has gone.

import { QuernError } from "../../ground/errors.ts";
import { FairQueue } from "../../ground/fair-queue.ts";

export interface WaitingRoomOptions {
  readonly maxWaiting: number;
  /** The error of a request that finds the room full. */
  readonly overloaded: (waiting: number) => QuernError;
}

/** A request that waits. Either `begin` or `refuse` is called, once. */
export interface Guest {
  /** "" where nobody knows. */
  readonly caller: string;
  /** In milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
  /** The error of one that waits past its deadline. */
  tooLate(): QuernError;
  /** Calls `listener` when the client has gone. */
  onGone?(listener: () => void): void;
  begin(): void;
  refuse(error: QuernError): void;
}

interface Seat {
  readonly guest: Guest;
  late?: NodeJS.Timeout;
}

/** Timers take no more. */
const maxTimerMs = 2 ** 31 - 1;

export class WaitingRoom {
  readonly #options: WaitingRoomOptions;
  readonly #seats = new FairQueue<Seat>();

  constructor(options: WaitingRoomOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#seats.length;
  }

  get isFull(): boolean {
    return this.length >= this.#options.maxWaiting;
  }

  /** Where it is full, the newest request of who has most in it gives way to one of a caller with less. */
  add(guest: Guest): void {
    if (this.isFull && !this.#makeRoom(guest.caller)) {
      guest.refuse(this.#options.overloaded(this.length));
      return;
    }
    this.addOneMore(guest);
  }

  /** However full it is: for a request that has waited elsewhere, where their number is bounded. */
  addOneMore(guest: Guest): void {
    const seat: Seat = { guest };
    this.#seats.push(guest.caller, seat);
    const leftMs = Math.max(0, guest.deadline - performance.now());
    if (leftMs < maxTimerMs) seat.late = setTimeout(() => this.#refuse(seat, guest.tooLate()), leftMs);
    guest.onGone?.(() => this.#refuse(seat, new QuernError("CANCELLED", "The client has gone.")));
  }

  /** Calls `begin` of the next one. False: none waits. */
  beginNext(): boolean {
    const seat = this.#seats.shift();
    if (seat === undefined) return false;
    clearTimeout(seat.late);
    seat.guest.begin();
    return true;
  }

  #makeRoom(caller: string): boolean {
    const seat = this.#seats.giveWay(caller);
    if (seat === undefined) return false;
    clearTimeout(seat.late);
    seat.guest.refuse(this.#options.overloaded(this.length + 1));
    return true;
  }

  /** Nothing when it waits no more. */
  #refuse(seat: Seat, error: QuernError): void {
    if (!this.#seats.delete(seat.guest.caller, seat)) return;
    clearTimeout(seat.late);
    seat.guest.refuse(error);
  }
}
