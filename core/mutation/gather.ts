// Collects the nodes of an update or a delete before the first write, so that no write changes which nodes are visited.

import type { Batch, NodeRef, Snapshot } from "../contracts/storage.ts";
import { QuernError } from "../ground/errors.ts";
import { bindTarget } from "../query/read/bind.ts";
import { type Mutation, refuse, sliceSize } from "./mutation.ts";

/** Their uids ascend, with a type for each. */
export type Gathered = Pick<Batch, "uids" | "types">;

export async function gatherNodes(mutation: Mutation, filter: unknown, purpose: "update" | "delete", transaction: Snapshot): Promise<Gathered> {
  const { types, where } = await boundFilter(mutation, filter, purpose);
  if (types.length === 0) return { uids: [], types: [] };
  return transaction.find({ types, where, fields: [] });
}

/** A value that cannot be compared refuses the mutation when it is carried out. */
async function boundFilter(mutation: Mutation, filter: unknown, purpose: "update" | "delete"): Promise<Awaited<ReturnType<typeof bindTarget>>> {
  const { type, context } = mutation;
  try {
    return await bindTarget({ target: type, types: type.members, filter, purpose }, context);
  } catch (thrown) {
    if (thrown instanceof QuernError) refuse("execute", mutation, [thrown]);
    throw thrown;
  }
}

/** Slice after slice; only one is there as objects. */
export function* slicesOf({ uids, types }: Gathered): Generator<readonly NodeRef[]> {
  for (let start = 0; start < uids.length; start += sliceSize) {
    yield uids.slice(start, start + sliceSize).map((uid, i) => ({ uid, type: types[start + i] ?? "" }));
  }
}

/** All of them as objects. */
export function nodeRefs({ uids, types }: Gathered): readonly NodeRef[] {
  return uids.map((uid, i) => ({ uid, type: types[i] ?? "" }));
}
