// What a request has spent of its limits: nodes, and bytes of its answer.

import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";
import { RequestEnd, type RequestEndOptions } from "./request-end.ts";

export interface SpendingOptions extends RequestEndOptions {
  readonly limits: Pick<Limits, "maxTimeMs" | "hookMs" | "maxTouchedNodes" | "maxAnswerBytes">;
}

export class Spending extends RequestEnd {
  touched = 0;
  shown = 0;
  /** Set when the answer is too long. */
  overflow: QuernError | undefined;
  readonly #limits: SpendingOptions["limits"];
  #answeredBytes = 0;

  constructor(options: SpendingOptions) {
    super(options);
    this.#limits = options.limits;
  }

  /** @throws `LIMIT_REACHED`, `CANCELLED` */
  spend(nodes: number): void {
    this.touched += nodes;
    this.assertAwaited();
    if (this.overflow) throw this.overflow;
    if (this.touched > this.#limits.maxTouchedNodes) throw this.endedBy(this.#tooMany());
    this.assertInTime();
  }

  show(nodes: number): void {
    this.shown += nodes;
  }

  get room(): number {
    return this.#limits.maxAnswerBytes - this.#answeredBytes;
  }

  /** @throws `LIMIT_REACHED` */
  answered(bytes: number): void {
    this.#answeredBytes += bytes;
    if (this.room >= 0) return;
    this.overflow ??= this.#tooMuch();
    throw this.endedBy(this.overflow);
  }

  /** The request begins anew. */
  protected reset(): void {
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
