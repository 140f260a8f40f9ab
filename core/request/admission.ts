// Admission control: bounds how many requests run at once and how many wait. Those that wait run first in, first out, until their time is up or
// their client is gone.

import { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";

interface Waiting {
  readonly admit: () => void;
}

export class Admission {
  readonly #limits: Pick<Limits, "maxConcurrentRequests" | "maxWaitingRequests" | "maxTimeMs">;
  /** In the order in which they came. */
  readonly #queue = new Set<Waiting>();
  #running = 0;
  #whenIdle: (() => void) | undefined;

  constructor(limits: Pick<Limits, "maxConcurrentRequests" | "maxWaitingRequests" | "maxTimeMs">) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** True: the request runs from now on, and `leave` says when it has ended. False: it has to wait. */
  enter(): boolean {
    if (this.#running >= this.#limits.maxConcurrentRequests) return false;
    this.#running++;
    return true;
  }

  /** Resolves when the request may run, which it then does: as after `enter`. Errors: `OVERLOADED`, `CANCELLED`, `LIMIT_REACHED`. */
  wait(onGone?: (listener: () => void) => void): Promise<void> {
    const { maxConcurrentRequests, maxWaitingRequests, maxTimeMs } = this.#limits;
    if (this.#queue.size >= maxWaitingRequests) return Promise.reject(overloaded(maxConcurrentRequests, this.#queue.size));
    return new Promise((resolve, reject) => {
      const waiting = { admit: () => settle(resolve) };
      const late = maxTimeMs < maxTimerMs ? setTimeout(() => settle(() => reject(tooLate(maxTimeMs))), maxTimeMs) : undefined;
      const settle = (end: () => void) => {
        clearTimeout(late);
        this.#queue.delete(waiting);
        end();
        this.#tellIdle();
      };
      this.#queue.add(waiting);
      onGone?.(() => {
        if (this.#queue.has(waiting)) settle(() => reject(new QuernError("CANCELLED", "The client has gone.")));
      });
    });
  }

  leave(): void {
    const [next] = this.#queue;
    if (next) {
      // The slot passes to the next in the queue, so that a request that arrives now cannot overtake it.
      next.admit();
      return;
    }
    this.#running--;
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
    return this.#running === 0 && this.#queue.size === 0;
  }

  #tellIdle(): void {
    if (this.#isIdle) this.#whenIdle?.();
  }
}

/** Timers take no more. */
const maxTimerMs = 2 ** 31 - 1;

function overloaded(running: number, waiting: number): QuernError {
  return new QuernError(
    "OVERLOADED",
    `As many requests run as may (${running}, limits.maxConcurrentRequests), and as many wait (${waiting}, limits.maxWaitingRequests). Try again in a moment.`,
  );
}

function tooLate(maxTimeMs: number): QuernError {
  return new QuernError(
    "LIMIT_REACHED",
    `The request waited longer than ${maxTimeMs} ms (limits.maxTimeMs) for others to end. Try again in a moment.`,
  );
}
