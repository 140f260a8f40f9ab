// Keeps long work in memory from holding up other requests, and from growing without a bound.

import { type KernelAccess, nextTurn, TurnClock, type Turns } from "../../../core/plugin.ts";
import { excess } from "../language/problem.ts";

/** Values that a document may hold or show for each link that it may follow. */
const valuesPerEdge = 10;

export interface WorkLimits {
  /** Links that one document may follow or show. */
  readonly maxEdges: number;
}

export const defaultWorkLimits: WorkLimits = { maxEdges: 1_000_000 };

/** Signals that a turn of the event loop was used up. */
export interface Clock {
  readonly isOver: boolean;
  /** A new turn begins. */
  restart(): void;
}

export interface WorkOptions {
  readonly clock?: Clock;
  /** Throws when the request must end. Called once in each turn. */
  readonly check?: () => void;
  /** How long the arguments of functions may be. Absent: of any length. */
  readonly values?: ValueLimits | undefined;
}

/** As `limits` of the kernel. */
export type ValueLimits = Pick<KernelAccess["limits"], "maxValueCharacters" | "maxTokensPerValue">;

/** A check that throws when `maxTimeMs` have passed. */
function timeLimit({ maxTimeMs }: Pick<KernelAccess["limits"], "maxTimeMs">): () => void {
  const end = performance.now() + maxTimeMs;
  return () => {
    if (performance.now() > end) throw excess(`The request took longer than ${maxTimeMs} ms (limits.maxTimeMs). Ask for less, or page by page.`);
  };
}

/** The work of one document. */
export class DocumentBudget implements Turns {
  readonly #limits: WorkLimits;
  readonly #clock: Clock;
  readonly #check: () => void;
  readonly values: ValueLimits | undefined;
  #edges = 0;
  #values = 0;

  constructor(limits: WorkLimits, { clock = new TurnClock(), check = () => undefined, values }: WorkOptions = {}) {
    this.values = values;
    this.#limits = limits;
    this.#clock = clock;
    this.#check = check;
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

  /** Counts values that variables, computed fields or the answer hold. */
  hold(values: number): void {
    this.#values += values;
    const most = this.#limits.maxEdges * valuesPerEdge;
    if (this.#values > most)
      throw excess(`The document holds more than ${most} values in its variables, computed fields and answer. Ask for fewer fields, or use first.`);
  }

  /** Values that were counted so far. */
  get held(): number {
    return this.#values;
  }

  get isTurnOver(): boolean {
    return this.#clock.isOver;
  }

  /** Lets other work run when the turn is over. */
  async pause(): Promise<void> {
    if (this.isTurnOver) await this.turn();
  }

  async turn(): Promise<void> {
    await nextTurn();
    this.#check();
    this.#clock.restart();
  }
}

/** The budget of a request over HTTP. */
export function budgetOf({ kernel, limits }: { readonly kernel: Pick<KernelAccess, "limits">; readonly limits: WorkLimits }): DocumentBudget {
  return new DocumentBudget(limits, { check: timeLimit(kernel.limits), values: kernel.limits });
}
