// Work of a plugin in a transaction of its own. It keeps the writer from others no longer than a hook may.

import type { Transaction } from "../../contracts/storage/snapshot.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import { settledInTime } from "../../ground/patience.ts";
import type { PluginPlace } from "../../ground/plugin-fault.ts";
import { type ScopeOptions, TransactionScope } from "../../ground/transaction-scope.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { PluginTransaction } from "./hook-transaction.ts";

type Work<T> = (transaction: Transaction) => MaybePromise<T>;

/** `work` for `Storage.transact`, which may call it several times. Rejects with `PluginTimeout` when it does nothing for too long. */
export function pluginWork<T>(place: PluginPlace, work: Work<T>, options: ScopeOptions): (transaction: Transaction) => Promise<T> {
  return async (transaction) => {
    const scope = new TransactionScope(options);
    try {
      const result = work(new PluginTransaction(transaction, scope));
      if (!isPromise(result)) return result;
      return await settledInTime(result, { patience: scope, place: () => place, fulfilled: (value) => value, rejected: rethrow });
    } finally {
      scope.end();
    }
  };
}

function rethrow(thrown: unknown): never {
  throw thrown;
}
