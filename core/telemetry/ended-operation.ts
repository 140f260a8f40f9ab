// What an operation came to. Everything that costs more than a look is made when somebody asks.

import { createHash } from "node:crypto";
import type { EndedOperation, Outcome } from "../contracts/metrics.ts";
import { maskLiterals } from "./mask-literals.ts";

const maxShown = 2_000;
/** A document beyond it is masked and hashed by its beginning: nobody may keep a server busy by a long one. */
const maxMasked = 100_000;

export interface OperationFacts {
  readonly request: { readonly id: string };
  readonly kind: EndedOperation["kind"];
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly touched: number;
  readonly name: string | undefined;
  /** As sent. */
  readonly text: string;
  readonly plan: () => string | undefined;
}

export class FinishedOperation implements EndedOperation {
  readonly kind: EndedOperation["kind"];
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly touched: number;
  readonly name: string | undefined;
  readonly #facts: OperationFacts;
  #masked: string | undefined;

  constructor(facts: OperationFacts) {
    this.kind = facts.kind;
    this.outcome = facts.outcome;
    this.durationMs = facts.durationMs;
    this.touched = facts.touched;
    this.name = facts.name;
    this.#facts = facts;
  }

  get requestID(): string {
    return this.#facts.request.id;
  }

  get document(): string {
    const text = this.#maskedText;
    return text.length > maxShown ? `${text.slice(0, maxShown)}...` : text;
  }

  get documentHash(): string {
    return createHash("sha256").update(this.#maskedText).digest("hex");
  }

  get plan(): string | undefined {
    return this.#facts.plan();
  }

  get #maskedText(): string {
    this.#masked ??= maskLiterals(this.#facts.text.slice(0, maxMasked));
    return this.#masked;
  }
}
