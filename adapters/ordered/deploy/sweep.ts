// Deletes the entries of unused structures from the disk, a few at a time.

import type { Database } from "../database/database.ts";
import { rangeOf } from "../structures/registry.ts";

const keysAtOnce = 2_000;

export class Sweeper {
  readonly #database: Database;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(database: Database) {
    this.#database = database;
  }

  start(): void {
    this.#running ??= this.#sweepAll()
      // A failure costs only disk space: the next start tries again.
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  }

  stop(): void {
    this.#stopped = true;
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #sweepAll(): Promise<void> {
    for (let [id] = this.#database.catalog.garbage; id !== undefined && !this.#stopped; [id] = this.#database.catalog.garbage) {
      await this.#writersHaveEnded();
      if (this.#stopped) return;
      this.#database.registry.forget(id);
      if (!(await this.#sweep(id))) return;
      const done = id;
      await this.#database.changeCatalog((catalog) => ({ ...catalog, garbage: catalog.garbage.filter((each) => each !== done) }));
    }
  }

  /**
   * A write that began before the deploy was published reads the structures of the layout before it, and has no view of the store of its own. A turn of the
   * writer comes when it has ended.
   */
  async #writersHaveEnded(): Promise<void> {
    await this.#database.write(() => ({ result: undefined, wrote: false }));
  }

  /**
   * Deletes in the store directly: no commit shows these entries, and views of older commits hold views of the store.
   *
   * @returns false when stopped
   */
  async #sweep(id: number): Promise<boolean> {
    const { store } = this.#database;
    const cursor = store.cursor(rangeOf(id));
    try {
      while (!this.#stopped) {
        const entries = await cursor.next(keysAtOnce);
        if (entries.length === 0) return true;
        await store.batch(
          entries.map(([key]) => ({ type: "del", key })),
          { sync: false },
        );
      }
      return false;
    } finally {
      await cursor.close();
    }
  }
}
