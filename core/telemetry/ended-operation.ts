// An ended operation as metrics and the log see it. Expensive members are computed on first access.

import { createHash } from "node:crypto";
import type { EndedOperation, Outcome } from "../contracts/metrics.ts";
import { maskLiterals } from "./mask-literals.ts";

const maxShown = 2_000;
/** Longer documents are masked and hashed by this prefix only, which bounds the work that a client can cause. */
const maxMasked = 100_000;
/** The plan of a longer document is not printed: it takes as long as planning. */
const maxPlanned = 20_000;
const maxShownPlan = 8_000;

export interface OperationFacts {
  readonly request: { readonly id: string };
  readonly kind: EndedOperation["kind"];
  readonly outcome: Outcome;
  readonly code: string | undefined;
  readonly durationMs: number;
  readonly touched: number;
  readonly name: string | undefined;
  /** The document as sent by the client. */
  readonly text: string;
  readonly plan: () => string | undefined;
  /** The same object for the runs of one document; absent when the request was refused before. */
  readonly prepared: object | undefined;
  readonly caller: () => string | undefined;
  readonly steps: EndedOperation["steps"];
}

export class FinishedOperation implements EndedOperation {
  readonly kind: EndedOperation["kind"];
  readonly outcome: Outcome;
  readonly code: string | undefined;
  readonly durationMs: number;
  readonly touched: number;
  readonly name: string | undefined;
  readonly prepared: object | undefined;
  readonly steps: EndedOperation["steps"];
  readonly #facts: OperationFacts;
  #masked: string | undefined;

  constructor(facts: OperationFacts) {
    this.kind = facts.kind;
    this.outcome = facts.outcome;
    this.code = facts.code;
    this.durationMs = facts.durationMs;
    this.touched = facts.touched;
    this.name = facts.name;
    this.prepared = facts.prepared;
    this.steps = facts.steps;
    this.#facts = facts;
  }

  get requestID(): string {
    return this.#facts.request.id;
  }

  get caller(): string | undefined {
    return this.#facts.caller();
  }

  get document(): string {
    const text = this.#maskedText;
    return text.length > maxShown ? `${text.slice(0, maxShown)}...` : text;
  }

  get documentHash(): string {
    return createHash("sha256").update(this.#maskedText).digest("hex");
  }

  get plan(): string | undefined {
    if (this.#facts.text.length > maxPlanned) return undefined;
    const text = this.#printedPlan;
    return text !== undefined && text.length > maxShownPlan ? `${text.slice(0, maxShownPlan)}...` : text;
  }

  /** A plugin's hook that failed in the operation fails here again: there is no plan then, and the answer must not wait for it. */
  get #printedPlan(): string | undefined {
    try {
      return this.#facts.plan();
    } catch {
      return undefined;
    }
  }

  get #maskedText(): string {
    this.#masked ??= maskLiterals(this.#facts.text.slice(0, maxMasked));
    return this.#masked;
  }
}
