// Runs jobs with bounded concurrency and in short time slices, so that requests do not wait for live queries.

import { Fifo, isPromise, type MaybePromise, rescued } from "../../../core/plugin.ts";

export type Job = () => MaybePromise<void>;

/** Concurrent jobs, where the storage is asynchronous. */
const maxRunning = 16;
/** The longest synchronous slice between two turns of the event loop. */
const maxBusyMs = 4;

export class RunQueue {
  readonly #urgent = new Fifo<Job>();
  readonly #normal = new Fifo<Job>();
  #running = 0;
  #whenIdle: (() => void)[] = [];
  #scheduled = false;
  readonly #onFault: (thrown: unknown) => void;

  /** @param onFault called with what a job throws; jobs should not throw */
  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault;
  }

  get length(): number {
    return this.#urgent.length + this.#normal.length;
  }

  get running(): number {
    return this.#running;
  }

  /** @param urgent runs before the others: a client waits for its first answer */
  add(job: Job, { urgent }: { readonly urgent: boolean }): void {
    (urgent ? this.#urgent : this.#normal).push(job);
    this.#schedule();
  }

  /** Resolves when no job is running; queued jobs do not count. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    const until = performance.now() + maxBusyMs;
    while (this.#running < maxRunning) {
      const job = this.#urgent.shift() ?? this.#normal.shift();
      if (!job) return;
      const done = rescued(job, this.#onFault);
      if (isPromise(done)) this.#wait(done);
      if (performance.now() > until) break;
    }
    if (this.length > 0 && this.#running < maxRunning) this.#schedule();
  }

  #wait(done: PromiseLike<void>): void {
    this.#running++;
    void done.then(() => {
      this.#running--;
      if (this.#running === 0) for (const each of this.#whenIdle.splice(0)) each();
      if (this.length > 0) this.#schedule();
    });
  }
}
