// The schema update counter: the number of changes of the served schema. It is metadata of the store, so that servers on one database agree on it.

import type { Snapshot, Transaction } from "../../contracts/storage/snapshot.ts";
import type { Storage } from "../../contracts/storage/storage.ts";
import { QuernError } from "../../ground/errors.ts";

const metaName = "schemaUpdateCounter";

/** Longer than the minute after which MongoDB ends an abandoned transaction. */
const insistsForMs = 90_000;

export class UpdateCounter {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  async read(view: Pick<Snapshot, "meta">): Promise<void> {
    const kept = await view.meta(metaName);
    this.#value = typeof kept === "number" ? kept : 0;
  }

  /**
   * Counts one change more.
   *
   * @param version - of the deployed layout
   * @param keep - writes further metadata in the same transaction
   */
  async increment(storage: Storage, version: number, keep?: (transaction: Transaction) => Promise<void>): Promise<void> {
    const next = this.#value + 1;
    const work = async (transaction: Transaction) => {
      await transaction.setMeta(metaName, next);
      await keep?.(transaction);
    };
    await insist(() => storage.transact(work, { version }));
    this.#value = next;
  }
}

/**
 * The schema is deployed already, so the work is repeated while it conflicts: a server that was killed at this step leaves a transaction, which
 * a database ends within a minute or so. It is left out when another server has deployed since, and notes its own deploy.
 */
async function insist(work: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + insistsForMs;
  for (;;) {
    try {
      await work();
      return;
    } catch (thrown) {
      const code = thrown instanceof QuernError ? thrown.code : undefined;
      if (code === "STALE_LAYOUT") return;
      if (code !== "CONFLICT" || performance.now() > until) throw thrown;
    }
  }
}
