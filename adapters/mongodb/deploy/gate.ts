// Lets no write of an earlier layout commit after a switch: every commit adds a change record that names its layout, and the collection
// refuses all but the deployed one. Changing that rule waits for transactions that have added theirs; those that have not are refused.
// While nothing is let through, writers wait.

import type { Connection } from "../connection.ts";
import { catalogCollection, changesCollection } from "../names.ts";
import { Lease, LeaseLost } from "./lease.ts";

const nobody = -1;

export class Gate {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Runs `work` while no other server changes the schema. */
  async alone<T>(by: string, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await Lease.take(this.#catalogs(), by);
    try {
      return await work(lease);
    } catch (reason) {
      // What goes wrong once another took over goes wrong because of that.
      throw reason instanceof LeaseLost || (await lease.isHeld().catch(() => true)) ? reason : new LeaseLost(reason);
    } finally {
      // One that is not given back runs out by itself.
      await lease.release().catch(() => undefined);
    }
  }

  /** Whether somebody changes the schema, or did when it died. */
  async isLocked(): Promise<boolean> {
    return await Lease.isHeld(this.#catalogs());
  }

  /** Runs `work` while no write commits; those that had added their record have ended. Then lets writes of `version()` through. */
  async shut<T>(lease: Lease, version: () => number, work: () => Promise<T>): Promise<T> {
    await lease.assertHeld();
    await this.#letThrough(nobody);
    try {
      return await work();
    } finally {
      if (await lease.isHeld()) await this.#letThrough(version());
    }
  }

  /** Only writes of this layout's version commit. */
  async open(lease: Lease, version: number): Promise<void> {
    await lease.assertHeld();
    await this.#letThrough(version);
  }

  /** False after a server died while it was shut. */
  async isOpenFor(version: number): Promise<boolean> {
    const [found] = await this.#connection.db.listCollections({ name: changesCollection }).toArray();
    const validator = found !== undefined && "options" in found ? found.options?.validator : undefined;
    return validator === undefined || JSON.stringify(validator) === JSON.stringify(ruleFor(version));
  }

  async #letThrough(version: number): Promise<void> {
    await this.#connection.db.command({ collMod: changesCollection, validator: ruleFor(version) });
  }

  #catalogs() {
    return this.#connection.collection(catalogCollection);
  }
}

function ruleFor(version: number) {
  return { $or: [{ kind: "mark" }, { layout: version }] };
}
