// Where an operation runs, as its runs before went: in the kernel's thread, or in a worker.

import type { OperationPlace, WorkerPlacement } from "../../core/index.ts";
import { ThreadLoad } from "./thread-load.ts";

const defaultFromCost = 20_000;

/**
 * Where operations run, for `ReadWorkers.placement`: in a worker from a cost on, or when runs in the kernel's thread were long; in the kernel's thread again when a
 * worker answers so soon that handing over does not pay.
 *
 * @param fromCost estimated cost, in nodes, from which an operation that has never run begins in a worker; 0: every operation does, always. Default: 20,000
 */
export function workerPlacement(fromCost = defaultFromCost): WorkerPlacement {
  const load = new ThreadLoad();
  return new MeasuredPlacement(fromCost, () => load.isFull);
}

/** A worker answered so soon that the operation had better run here, in milliseconds. */
const shortMs = 3;
/** The same while the kernel's thread has all the work that it can do. It takes a quarter of a millisecond to hand an operation over. */
const shortWhenBusyMs = 0.75;
/** What a run takes here at least to count as one that a worker had better do while the kernel's thread is busy, in milliseconds. */
const longWhenBusyMs = 1;

/**
 * Runs in a row that used up a turn of the event loop, or a millisecond of a busy thread, after which an operation begins in a worker: many of them at once would hold the kernel's thread. A
 * single run may be slow by chance, by code that is not compiled yet or by other work on the machine.
 */
const busyRunsHere = 3;

export class MeasuredPlacement implements WorkerPlacement {
  readonly #fromCost: number;
  readonly #places = new WeakMap<object, OperationPlace>();
  /** Such runs here in a row. Most operations have none and no entry. */
  readonly #busyRuns = new WeakMap<object, number>();
  readonly #isBusy: () => boolean;

  /**
   * @param fromCost estimated cost from which an operation that has never run begins elsewhere; 0: every operation does, always
   * @param isBusy whether the kernel's thread has all the work that it can do
   */
  constructor(fromCost: number, isBusy: () => boolean) {
    this.#fromCost = fromCost;
    this.#isBusy = isBusy;
  }

  of(operation: object, cost: () => number): OperationPlace {
    const known = this.#places.get(operation);
    if (known !== undefined) return known;
    const place = cost() >= this.#fromCost ? "elsewhere" : "here";
    this.#places.set(operation, place);
    return place;
  }

  ranHere(operation: object, usedTurns: number, tookMs: number): void {
    if (usedTurns === 0 && (tookMs < longWhenBusyMs || !this.#isBusy())) {
      this.#busyRuns.delete(operation);
      return;
    }
    const runs = (this.#busyRuns.get(operation) ?? 0) + 1;
    this.#busyRuns.set(operation, runs);
    if (runs >= busyRunsHere) this.becameLong(operation);
  }

  becameLong(operation: object): void {
    this.#busyRuns.delete(operation);
    this.#places.set(operation, "elsewhere");
  }

  ranElsewhere(operation: object, durationMs: number): void {
    if (this.#fromCost === 0 || durationMs >= shortMs) return;
    if (durationMs < shortWhenBusyMs || !this.#isBusy()) this.#places.set(operation, "here");
  }
}
