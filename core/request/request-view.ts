// One request as plugins' hooks see it. What few requests ask for is made when asked.

import { randomUUID } from "node:crypto";
import type { RequestView } from "../contracts/plugin.ts";
import type { Json } from "../ground/values/value.ts";

export class RunningRequest implements RequestView {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly facts: Readonly<Record<string, Json>>;
  readonly #first: RunningRequest | undefined;
  #id: string | undefined;
  #now: string | undefined;

  /** `first`: the same request before anything was known of who asks. */
  constructor(headers: Readonly<Record<string, string | undefined>>, facts: Readonly<Record<string, Json>>, first?: RunningRequest) {
    this.headers = headers;
    this.facts = facts;
    this.#first = first;
  }

  get id(): string {
    this.#id ??= this.#first?.id ?? randomUUID();
    return this.#id;
  }

  /** The first look decides, so that every value of one request is the same. */
  get now(): string {
    this.#now ??= this.#first?.now ?? `${new Date().toISOString().slice(0, 19)}Z`;
    return this.#now;
  }
}
