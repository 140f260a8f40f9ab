// Admission control: bounds how many requests run at once and how many wait. Those that wait run one caller after the other, first in, first out
// for each.

import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";
import { type Guest, WaitingRoom } from "./waiting-room.ts";
import { WaitingRooms } from "./waiting-rooms.ts";

type AdmissionLimits = Pick<Limits, "maxConcurrentRequests" | "maxWaitingRequests" | "maxTimeMs">;

interface Waiting extends Pick<Guest, "caller" | "begin"> {
  readonly onGone: Guest["onGone"] | undefined;
  readonly reject: (error: QuernError) => void;
}

/** How many requests run, of all kernels that share it. */
export class RunningRequests {
  readonly rooms = new WaitingRooms();
  count = 0;
}

/** The admission of one kernel. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #all: RunningRequests;
  readonly #room: WaitingRoom;
  #running = 0;
  #whenIdle: (() => void) | undefined;

  constructor(limits: AdmissionLimits, all = new RunningRequests()) {
    this.#limits = limits;
    this.#all = all;
    const { maxConcurrentRequests, maxWaitingRequests: maxWaiting } = limits;
    this.#room = new WaitingRoom({ maxWaiting, overloaded: (waiting) => overloaded(maxConcurrentRequests, waiting) });
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#room.length;
  }

  /** Whether one that waits is refused, unless its caller has less here than others. */
  get isFull(): boolean {
    return this.#room.isFull;
  }

  /** Whether a request that comes now has to wait. */
  get isBusy(): boolean {
    return this.#all.count >= this.#limits.maxConcurrentRequests;
  }

  /** True: the request runs from now on, and `leave` says when it has ended. False: it has to wait. */
  enter(): boolean {
    if (this.isBusy) return false;
    this.#all.count++;
    this.#running++;
    return true;
  }

  /** Resolves when the request may run, which it then does: as after `enter`. Errors: `OVERLOADED`, `CANCELLED`, `LIMIT_REACHED`. */
  wait(caller: string, onGone?: Guest["onGone"]): Promise<void> {
    return new Promise((begin, reject) => this.#seat({ caller, onGone, begin, reject }, (guest) => this.#room.add(guest)));
  }

  /** The same for a request that has waited elsewhere, where their number is bounded: it is not refused because others wait here. */
  waitOn(caller: string, onGone?: Guest["onGone"]): Promise<void> {
    return new Promise((begin, reject) => this.#seat({ caller, onGone, begin, reject }, (guest) => this.#room.addOneMore(guest)));
  }

  /** All others may have left while somebody asked who the caller is: then nobody would call it. */
  #seat(waiting: Waiting, add: (guest: Guest) => void): void {
    if (this.enter()) {
      waiting.begin();
      return;
    }
    add(this.#guest(waiting));
    this.#all.rooms.add(this.#room);
  }

  #guest({ caller, onGone, begin, reject }: Waiting): Guest {
    const { maxTimeMs } = this.#limits;
    const refuse = (error: QuernError) => {
      reject(error);
      this.#tellIdle();
    };
    const deadline = performance.now() + maxTimeMs;
    const beginHere = () => {
      this.#running++;
      begin();
    };
    return { caller, deadline, tooLate: () => waitedTooLong(maxTimeMs), ...(onGone && { onGone }), begin: beginHere, refuse };
  }

  leave(): void {
    this.#running--;
    // The slot passes to the next one that waits, so that a request that arrives now cannot overtake it.
    if (!this.#all.rooms.beginNext()) this.#all.count--;
    this.#tellIdle();
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  get #isIdle(): boolean {
    return this.#running === 0 && this.waiting === 0;
  }

  #tellIdle(): void {
    if (this.#isIdle) this.#whenIdle?.();
  }
}

function overloaded(running: number, waiting: number): QuernError {
  return new QuernError(
    "OVERLOADED",
    `As many requests run as may (${running}, limits.maxConcurrentRequests), and as many wait (${waiting}, limits.maxWaitingRequests). Try again in a moment.`,
  );
}

/** The error of a request whose time is up before it runs. */
export function waitedTooLong(maxTimeMs: number): QuernError {
  return new QuernError(
    "LIMIT_REACHED",
    `The request waited longer than ${maxTimeMs} ms (limits.maxTimeMs) for others to end. Try again in a moment.`,
  );
}
