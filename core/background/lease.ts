// A lease in the metadata of a store: one of several servers holds it. Servers compare no clocks: one takes a lease over when it has not seen it
// change for the lease's whole duration.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Transaction } from "../contracts/storage/snapshot.ts";
import type { Storage } from "../contracts/storage/storage.ts";
import type { Json } from "../ground/values/value.ts";

export interface LeaseOptions {
  readonly storage: Storage;
  /** The layout version of the deployment that the holder works for. */
  readonly version: number;
  /** The name of the metadata entry. */
  readonly name: string;
  readonly durationMs: number;
  /** Ends waiting and renewing. */
  readonly signal: AbortSignal;
}

export class Lease {
  /** Aborted when this server no longer holds the lease. */
  readonly lost = new AbortController();
  readonly #options: LeaseOptions;
  readonly #owner: string;
  #renewing: Promise<void> | undefined;
  /** In milliseconds of `performance.now()`: another server may hold the lease from then on. */
  #until: number;

  private constructor(options: LeaseOptions, owner: string, until: number) {
    this.#options = options;
    this.#owner = owner;
    this.#until = until;
  }

  /** Waits until this server holds the lease. Rejects when `signal` is aborted or the store fails. */
  static async take(options: LeaseOptions): Promise<Lease> {
    const { durationMs, signal } = options;
    const owner = randomUUID();
    let seen = "";
    let since = performance.now();
    for (;;) {
      signal.throwIfAborted();
      const found = await read(options);
      const text = JSON.stringify(found ?? null);
      if (text !== seen) since = performance.now();
      seen = text;
      if (found === undefined || performance.now() - since >= durationMs) {
        const until = performance.now() + durationMs;
        const isTaken = await write(options, (now) => JSON.stringify(now ?? null) === text, { owner, beat: 0 });
        if (isTaken) return new Lease(options, owner, until).#keep();
      } else await pause(durationMs / 3, undefined, { signal });
    }
  }

  /** Whether the transaction sees this server as the holder. */
  async isHeld(transaction: Transaction): Promise<boolean> {
    return ownerOf(await transaction.meta(this.#options.name)) === this.#owner;
  }

  /** Gives the lease up, so that another server need not wait for its end. */
  async release(): Promise<void> {
    this.lost.abort();
    await this.#renewing;
    await write(this.#options, (now) => ownerOf(now) === this.#owner, null);
  }

  #keep(): this {
    this.#renewing = this.#renew();
    return this;
  }

  async #renew(): Promise<void> {
    const { durationMs, signal } = this.#options;
    const ended = AbortSignal.any([signal, this.lost.signal]);
    for (let beat = 1; !ended.aborted; beat++) {
      try {
        await pause(durationMs / 3, undefined, { signal: ended });
        const until = performance.now() + durationMs;
        const isKept = await this.#beforeItEnds(write(this.#options, (now) => ownerOf(now) === this.#owner, { owner: this.#owner, beat }));
        if (isKept) this.#until = until;
        else this.lost.abort();
      } catch {
        // The store may answer the next attempt.
        if (performance.now() >= this.#until) this.lost.abort();
      }
    }
  }

  /** A renewal that takes too long does not keep this server at work beyond the end of its lease. */
  async #beforeItEnds<T>(renewal: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.lost.abort(), Math.max(0, this.#until - performance.now()));
    try {
      return await renewal;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function read({ storage, version, name }: LeaseOptions): Promise<Json | undefined> {
  const snapshot = storage.snapshot({ version });
  try {
    return await snapshot.meta(name);
  } finally {
    snapshot.close();
  }
}

/** Writes `value` if the entry is as `expected`. Concurrent writers of one entry conflict, so that only one of them succeeds. */
async function write({ storage, version, name }: LeaseOptions, expected: (now: Json | undefined) => boolean, value: Json): Promise<boolean> {
  const work = async (transaction: Transaction) => {
    if (!expected(await transaction.meta(name))) return false;
    await transaction.setMeta(name, value);
    return true;
  };
  return (await storage.transact(work, { version })).result;
}

function ownerOf(entry: Json | undefined): unknown {
  return typeof entry === "object" && entry !== null ? Reflect.get(entry, "owner") : undefined;
}
