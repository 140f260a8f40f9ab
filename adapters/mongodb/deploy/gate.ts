// Lets one server at a time change the schema, and no write of an earlier layout commit afterwards: every commit adds a change record
// that names its layout, and the collection refuses all but the deployed one. Changing that rule waits for transactions that have
// added theirs; those that have not are refused. While nothing is let through, writers wait.

import { setTimeout as pause } from "node:timers/promises";
import { MongoServerError } from "mongodb";
import { QuernError } from "../../../core/index.ts";
import type { Connection } from "../connection.ts";
import { catalogCollection, changesCollection } from "../names.ts";

const lockId = "lock";
const lockedForMs = 30_000;
const waitsForMs = 600_000;
const nobody = -1;

export class Gate {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Runs `work` while no other server changes the schema. */
  async alone<T>(by: string, work: () => Promise<T>): Promise<T> {
    await this.#lock(by);
    const renewal = setInterval(() => void this.#take(by).catch(() => undefined), lockedForMs / 3);
    renewal.unref();
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      await this.#locks().deleteOne({ _id: lockId, by });
    }
  }

  async #lock(by: string): Promise<void> {
    for (const until = performance.now() + waitsForMs; !(await this.#take(by)); await pause(50)) {
      if (performance.now() > until)
        throw new QuernError("CONFLICT", "another server is changing the schema", { hint: "Try again when it is done." });
    }
  }

  /** By the database's clock. */
  async #take(by: string): Promise<boolean> {
    const isFree = { $or: [{ $eq: ["$by", by] }, { $lt: [{ $ifNull: ["$until", new Date(0)] }, "$$NOW"] }] };
    const until = { $add: ["$$NOW", lockedForMs] };
    const update = [{ $set: { by: { $cond: [isFree, by, "$by"] }, until: { $cond: [isFree, until, "$until"] } } }];
    try {
      const lock = await this.#locks().findOneAndUpdate({ _id: lockId }, update, { upsert: true, returnDocument: "after" });
      return lock?.by === by;
    } catch (thrown) {
      if (thrown instanceof MongoServerError && thrown.code === 11_000) return false;
      throw thrown;
    }
  }

  /** Whether somebody changes the schema, or did when it died. */
  async isLocked(): Promise<boolean> {
    return (await this.#locks().countDocuments({ _id: lockId, $expr: { $gte: ["$until", "$$NOW"] } })) > 0;
  }

  /** No write commits from now on; those that had added their record have ended. */
  async close(): Promise<void> {
    await this.letThrough(nobody);
  }

  /** Only writes of this layout's version commit. */
  async letThrough(version: number): Promise<void> {
    await this.#connection.db.command({ collMod: changesCollection, validator: ruleFor(version) });
  }

  /** False after a server died while it was shut. */
  async isOpenFor(version: number): Promise<boolean> {
    const [found] = await this.#connection.db.listCollections({ name: changesCollection }).toArray();
    const validator = found !== undefined && "options" in found ? found.options?.validator : undefined;
    return validator === undefined || JSON.stringify(validator) === JSON.stringify(ruleFor(version));
  }

  #locks() {
    return this.#connection.collection(catalogCollection);
  }
}

function ruleFor(version: number) {
  return { $or: [{ kind: "mark" }, { layout: version }] };
}
