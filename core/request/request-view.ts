// One request as plugins' hooks see it. The id and the time are made at first use: few requests need them.

import { randomUUID } from "node:crypto";
import type { RequestView } from "../contracts/plugin/request-view.ts";
import type { Json } from "../ground/values/value.ts";

export class RunningRequest implements RequestView {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly facts: Readonly<Record<string, Json>>;
  readonly #first: Pick<RequestView, "id" | "now"> | undefined;
  #id: string | undefined;
  #now: string | undefined;

  /** @param first the same request before its caller was identified; both share the id and the time */
  constructor(headers: Readonly<Record<string, string | undefined>>, facts: Readonly<Record<string, Json>>, first?: Pick<RequestView, "id" | "now">) {
    this.headers = headers;
    this.facts = facts;
    this.#first = first;
    Object.freeze(this);
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
