// The nodes that an update or a delete is about, gathered before anything is written: a write cannot change what is still to be visited.

import type { NodeRef, Snapshot } from "../contracts/storage.ts";
import { QuernError } from "../errors.ts";
import { bindTarget } from "../read/bind.ts";
import { type Mutation, refuse, sliceSize } from "./mutation.ts";

/** By uid, ascending. */
export async function gatherNodes(
  mutation: Mutation,
  filter: unknown,
  purpose: "update" | "delete",
  transaction: Snapshot,
): Promise<readonly NodeRef[]> {
  const { types, where } = await boundFilter(mutation, filter, purpose);
  if (types.length === 0) return [];
  const batch = await transaction.find({ types, where, fields: [] });
  return batch.uids.map((uid, i) => ({ uid, type: batch.types[i] ?? "" }));
}

/** A value that cannot be compared refuses the mutation when it is carried out. */
async function boundFilter(mutation: Mutation, filter: unknown, purpose: "update" | "delete"): Promise<Awaited<ReturnType<typeof bindTarget>>> {
  const { type, execution } = mutation;
  try {
    return await bindTarget({ target: type, types: type.members, filter, purpose }, execution);
  } catch (thrown) {
    if (thrown instanceof QuernError) refuse("execute", mutation, [thrown]);
    throw thrown;
  }
}

export function slicesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const slices: (readonly T[])[] = [];
  for (let i = 0; i < items.length; i += sliceSize) slices.push(items.slice(i, i + sliceSize));
  return slices;
}
