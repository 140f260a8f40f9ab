// What a request has spent of its limits: nodes, and bytes of its answer.

import { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import type { RequestEnd } from "./request-end.ts";

export class Spending {
  readonly end: RequestEnd;
  touched = 0;
  shown = 0;
  /** Set when the answer is too long. */
  overflow: QuernError | undefined;
  readonly #limits: Pick<Limits, "maxTouchedNodes" | "maxAnswerBytes">;
  #answeredBytes = 0;

  constructor(limits: Pick<Limits, "maxTouchedNodes" | "maxAnswerBytes">, end: RequestEnd) {
    this.#limits = limits;
    this.end = end;
  }

  /** @throws `LIMIT_REACHED`, `CANCELLED` */
  spend(nodes: number): void {
    this.touched += nodes;
    this.end.assertAwaited();
    if (this.overflow) throw this.overflow;
    if (this.touched > this.#limits.maxTouchedNodes) throw this.end.by(this.#tooMany());
    this.end.assertInTime();
  }

  get room(): number {
    return this.#limits.maxAnswerBytes - this.#answeredBytes;
  }

  /** @throws `LIMIT_REACHED` */
  answered(bytes: number): void {
    this.#answeredBytes += bytes;
    if (this.room >= 0) return;
    this.overflow ??= this.#tooMuch();
    throw this.end.by(this.overflow);
  }

  /** The request begins anew. */
  reset(): void {
    this.touched = 0;
    this.shown = 0;
    this.overflow = undefined;
    this.#answeredBytes = 0;
  }

  #tooMany(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The request touches more than ${this.#limits.maxTouchedNodes} nodes (limits.maxTouchedNodes). Narrow its filter, or read page by page.`,
    );
  }

  #tooMuch(): QuernError {
    return new QuernError(
      "LIMIT_REACHED",
      `The answer is longer than ${this.#limits.maxAnswerBytes} bytes (limits.maxAnswerBytes). Select fewer fields, or read page by page.`,
    );
  }
}
