// Keeps long work in memory from holding up other requests, and from growing without a bound.

import { setImmediate } from "node:timers/promises";
import { excess } from "../language/problem.ts";

/** How long work may go on before it lets others run. */
const turnMs = 8;

export interface WorkLimits {
  /** Links that one document may follow or show. */
  readonly maxEdges: number;
}

export const defaultWorkLimits: WorkLimits = { maxEdges: 1_000_000 };

/** The work of one document. */
export class Work {
  readonly #limits: WorkLimits;
  #edges = 0;
  #turnEnds = performance.now() + turnMs;

  constructor(limits: WorkLimits) {
    this.#limits = limits;
  }

  /** Counts links that were followed or shown. */
  spend(edges: number): void {
    this.#edges += edges;
    if (this.#edges > this.#limits.maxEdges)
      throw excess(
        `Exceeded query edge limit = ${this.#limits.maxEdges}. Found ${this.#edges} edges. Ask for less: a smaller depth, a filter, or first.`,
      );
  }

  /** Links that were counted so far. */
  get spent(): number {
    return this.#edges;
  }

  get isDue(): boolean {
    return performance.now() > this.#turnEnds;
  }

  /** Lets other work run when the turn is over. */
  async rest(): Promise<void> {
    if (!this.isDue) return;
    await setImmediate();
    this.#turnEnds = performance.now() + turnMs;
  }

  /** Runs a generator to its end, with rests where it yields. */
  async finish<T>(steps: Generator<void, T>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      await this.rest();
    }
  }
}
