// The indexes that a load has deferred, from the migration that deferred them to the one that ends the load: another thread may build them meanwhile.

import type { IndexThreads, Layout, MigrationStep } from "../../../core/storage.ts";
import type { LoadedIndexes } from "../build/loaded-indexes.ts";
import type { Database } from "../database/database.ts";
import { ThreadedIndexes } from "./threaded-indexes.ts";

interface Migration {
  readonly layout: Layout;
  readonly document: string;
  readonly deferIndexes: boolean;
  readonly progress?: ((step: MigrationStep) => void) | undefined;
}

export class DeferredIndexes {
  /** Of the newest migration. Undefined: it has deferred nothing. */
  #deferring: Pick<Migration, "layout" | "document"> | undefined;
  #threaded: ThreadedIndexes | undefined;

  /** A migration has succeeded. */
  migrated({ layout, document, deferIndexes }: Migration): void {
    this.#deferring = deferIndexes ? { layout, document } : undefined;
  }

  async begin(database: Database, start: Parameters<IndexThreads["begin"]>[0], { sync }: { readonly sync: boolean }): Promise<boolean> {
    if (this.#deferring === undefined || this.#threaded !== undefined) return false;
    this.#threaded = await ThreadedIndexes.begin({ database, ...this.#deferring, start, sync });
    return this.#threaded !== undefined;
  }

  /** The nodes of the load are created. */
  async end(): Promise<void> {
    await this.#threaded?.end();
  }

  /**
   * Before a migration. `work` gets the indexes that are written; undefined: it builds them itself. What it does not take over is garbage.
   */
  async handOver<T>(database: Database, migration: Migration, work: (loaded: LoadedIndexes | undefined) => Promise<T>): Promise<T> {
    const threaded = this.#threaded;
    if (threaded === undefined) return await work(undefined);
    this.#threaded = undefined;
    try {
      return await work(await loadedOf(threaded, database, migration));
    } finally {
      await threaded.release();
    }
  }

  /** Before changes that the other thread would not hear of. */
  async drop(): Promise<void> {
    const threaded = this.#threaded;
    this.#threaded = undefined;
    await threaded?.abandon();
    await threaded?.release();
  }

  /** The store closes: its next opening sweeps what is not finished. */
  async close(): Promise<void> {
    const threaded = this.#threaded;
    this.#threaded = undefined;
    await threaded?.abandon();
  }
}

async function loadedOf(threaded: ThreadedIndexes, { catalog }: Database, migration: Migration): Promise<LoadedIndexes | undefined> {
  const { layout, document, deferIndexes, progress } = migration;
  if (deferIndexes || !threaded.areOf(layout, document, catalog)) {
    await threaded.abandon();
    await threaded.release();
    return undefined;
  }
  const loaded = await threaded.loaded(progress);
  if (loaded === undefined) await threaded.release();
  return loaded;
}
