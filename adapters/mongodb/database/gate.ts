// No write of an earlier layout commits after a switch: every commit adds a change record that names its layout, and a validator of the collection
// refuses all but the deployed one of this birth of the database. Changing the validator waits for transactions that have added their record; later ones are refused.
// While the gate is shut, writers wait.

import type { Connection } from "../connection/connection.ts";
import { catalogCollection, changesCollection } from "../layout/names.ts";
import { Lease, LeaseLost } from "./lease.ts";

const noVersion = -1;

export class Gate {
  readonly #connection: Connection;
  readonly #born: () => string;

  /** @param born identifies the database since it was made or dropped */
  constructor(connection: Connection, born: () => string) {
    this.#connection = connection;
    this.#born = born;
  }

  /** Runs `work` while no other server changes the schema. */
  async alone<T>(by: string, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await Lease.take(this.#catalogs(), by);
    try {
      return await work(lease);
    } catch (reason) {
      // After another server took over, that is the cause of any failure.
      throw reason instanceof LeaseLost || (await lease.isHeld().catch(() => true)) ? reason : new LeaseLost(reason);
    } finally {
      // A lease that is not released expires.
      await lease.release().catch(() => undefined);
    }
  }

  /** Whether a server changes the schema, or stopped while it did. */
  async isLocked(): Promise<boolean> {
    return await Lease.isHeld(this.#catalogs());
  }

  /** Runs `work` while no write commits; earlier commits have ended. Then opens the gate for writes of `version()`. */
  async shut<T>(lease: Lease, version: () => number, work: () => Promise<T>): Promise<T> {
    await lease.assertHeld();
    await this.#accept(noVersion);
    try {
      return await work();
    } finally {
      if (await lease.isHeld()) await this.#accept(version());
    }
  }

  /** Only writes of this layout's version commit. */
  async open(lease: Lease, version: number): Promise<void> {
    await lease.assertHeld();
    await this.#accept(version);
  }

  /** False after a server stopped while the gate was shut. */
  async isOpenFor(version: number): Promise<boolean> {
    const [found] = await this.#connection.db.listCollections({ name: changesCollection }).toArray();
    const validator = found !== undefined && "options" in found ? found.options?.validator : undefined;
    return validator === undefined || JSON.stringify(validator) === JSON.stringify(this.#ruleFor(version));
  }

  async #accept(version: number): Promise<void> {
    await this.#connection.db.command({ collMod: changesCollection, validator: this.#ruleFor(version) });
  }

  #ruleFor(version: number) {
    return { $or: [{ kind: "mark" }, { layout: version, born: this.#born() }] };
  }

  #catalogs() {
    return this.#connection.collection(catalogCollection);
  }
}
