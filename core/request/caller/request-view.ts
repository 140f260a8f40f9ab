// One request as plugins' hooks see it. The id and the time are made at first use: few requests need them.

import { randomUUID } from "node:crypto";
import type { RequestView } from "../../contracts/plugin/request-view.ts";
import { type Patience, patience } from "../../ground/patience.ts";
import type { Json } from "../../ground/values/value.ts";

export interface RequestViewOptions {
  /** How long hooks may take that are called with it. Default: each as long as a request. */
  readonly patience?: Patience | undefined;
  /** The same request before its caller was identified; both share the id and the time. */
  readonly first?: Pick<RequestView, "id" | "now">;
}

export class RunningRequest implements RequestView {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly facts: Readonly<Record<string, Json>>;
  readonly #first: Pick<RequestView, "id" | "now"> | undefined;
  readonly [patience]: Patience | undefined;
  #id: string | undefined;
  #now: string | undefined;

  constructor(headers: RequestView["headers"], facts: Readonly<Record<string, Json>>, options: RequestViewOptions = {}) {
    this.headers = headers;
    this.facts = facts;
    this.#first = options.first;
    this[patience] = options.patience;
    Object.freeze(this);
  }

  /** The same request for what is kept when it is answered, such as a subscription. */
  kept(): RunningRequest {
    const { id, now } = this;
    return new RunningRequest(this.headers, this.facts, { first: { id, now } });
  }

  get id(): string {
    this.#id ??= this.#first?.id ?? randomUUID();
    return this.#id;
  }

  /** The time of first use, the same for the whole request. */
  get now(): string {
    this.#now ??= this.#first?.now ?? `${new Date().toISOString().slice(0, 19)}Z`;
    return this.#now;
  }
}
