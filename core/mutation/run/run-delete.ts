// `delete<T>`: reads the payload, then removes the objects that the filter chooses, all in one transaction.

import type { NodeType } from "../../contracts/model.ts";
import type { Transaction } from "../../contracts/storage/snapshot.ts";
import { ChangeWriter, type Mutation } from "../context/mutation.ts";
import { checkDeletePermissions } from "../prepare/written-names.ts";
import { assertCount } from "./assert-count.ts";
import { type Gathered, gatherNodes, nodeRefs, slicesOf } from "./gather.ts";
import { type Finish, payloadBefore } from "./payload.ts";

/** The work of the transaction. The result writes the payload; call it after the commit. */
export async function deleteNodes(mutation: Mutation, filter: unknown, transaction: Transaction): Promise<Finish> {
  checkDeletePermissions(mutation, [mutation.type]);
  const nodes = await gatherNodes(mutation, filter, "delete", transaction);
  assertCount(mutation, nodes.uids.length);
  if (mutation.type.kind === "interface") checkDeletePermissions(mutation, typesOf(mutation, nodes));
  const msg = nodes.uids.length === 0 ? "No nodes were deleted" : "Deleted";
  const payload = await payloadBefore(mutation, transaction, { uids: nodes.uids, numUids: nodes.uids.length, msg });
  const writer = new ChangeWriter(mutation, transaction);
  for (const slice of slicesOf(nodes)) {
    await writer.write(slice.map(({ uid, type }) => ({ kind: "remove", uid, type })));
  }
  await writer.end(() => nodeRefs(nodes));
  return payload;
}

function typesOf({ facts }: Mutation, { types }: Gathered): readonly NodeType[] {
  return [...new Set(types)].flatMap((type) => facts.typeOf(type) ?? []);
}
