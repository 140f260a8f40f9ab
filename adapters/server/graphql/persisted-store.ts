// Keeps persisted queries in the storage, beside the data.

import { andThen, type Storage } from "../../../core/index.ts";
import type { PersistedQueries } from "../context.ts";

/** `version` tells the layout version that is deployed now. */
export function storedQueries(storage: Storage, version: () => number): PersistedQueries {
  return {
    get(hash) {
      const snapshot = storage.snapshot({ version: version() });
      try {
        const found = snapshot.meta(metaName(hash));
        snapshot.close();
        return andThen(found, (document) => (typeof document === "string" ? document : undefined));
      } catch (fault) {
        snapshot.close();
        throw fault;
      }
    },
    async put(hash, document) {
      await storage.transact((transaction) => transaction.setMeta(metaName(hash), document), { version: version() });
    },
  };
}

function metaName(hash: string): string {
  return `persisted-query/${hash}`;
}
