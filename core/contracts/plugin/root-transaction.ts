// One transaction that a plugin's root field of `Mutation` runs.

import type { ExecuteAnswer, ExecuteRequest } from "./execute.ts";
import type { ChangesTransaction } from "./mutation-hooks.ts";

/**
 * What the callback of `RootContext.transaction` works with. Its own reads (`find`, `follow`, ...) see the writes of the transaction, and every node: no
 * rule narrows them. `hold` protects a decision that depends on a node which the transaction does not write:
 *
 *     await tx.hold([{ uid, type: "Shop" }]);
 *
 * No member works after the callback has ended.
 */
export interface RootTransaction extends ChangesTransaction {
  /**
   * Executes a query, which sees what the transaction has written, or generated mutations, which write in it: as the caller of the request, or as `as` and
   * `headers` say. Rules, `values`, `changes`, `check` and `append` hooks apply as to any mutation. Requests of one transaction run one after the other.
   *
   * Rejects when nothing could be executed, and with the error of a mutation that is refused, whose `code` is that of its reason (`KEY_TAKEN`,
   * `COUNT_MISMATCH`, ...; `CONFLICT` when the transaction has lost a race and runs again). After a refused mutation nothing of the transaction is committed,
   * even if the callback catches the error. Errors beside the data
   * of a query or a payload are in `errors`.
   *
   * A `values` hook that is slow, such as one that hashes a password, and a slow computed field keep the transaction open: on a store with one writer all
   * other writes wait.
   */
  execute(request: ExecuteRequest): Promise<ExecutedAnswer>;
}

/** The answer to a request that was executed. */
export interface ExecutedAnswer extends ExecuteAnswer {
  readonly data: NonNullable<ExecuteAnswer["data"]>;
}
