// `delete<T>`: reads the payload, then removes the objects that the filter chooses, all in one transaction.

import type { Change } from "../contracts/change.ts";
import type { Committed, Transaction } from "../contracts/storage.ts";
import type { RootResult } from "../execution.ts";
import { gatherNodes, slicesOf } from "./gather.ts";
import { checkChanges, type Mutation, writeChanges } from "./mutation.ts";
import { payloadOf } from "./payload.ts";
import { transact } from "./transact.ts";

export function runDelete(mutation: Mutation, filter: unknown): Promise<Committed<RootResult>> {
  return transact(mutation, (transaction) => deleteNodes(mutation, filter, transaction));
}

async function deleteNodes(mutation: Mutation, filter: unknown, transaction: Transaction): Promise<RootResult> {
  const nodes = await gatherNodes(mutation, filter, "delete", transaction);
  const msg = nodes.length === 0 ? "No nodes were deleted" : "Deleted";
  const payload = await payloadOf(mutation, transaction, { uids: nodes.map(({ uid }) => uid), numUids: nodes.length, msg });
  const written: Change[] = [];
  for (const slice of slicesOf(nodes)) {
    const changes = slice.map(({ uid, type }): Change => ({ kind: "remove", uid, type }));
    written.push(...(await writeChanges(mutation, transaction, changes)));
  }
  await checkChanges(mutation, transaction, written);
  return payload;
}
