// Collects the nodes of an update or a delete before the first write, so that no write changes which nodes are visited.

import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import { and, type Predicate } from "../../contracts/predicate.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import type { NodeRef, Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Uid } from "../../ground/values/value.ts";
import { narrowTypes } from "../../query/access/narrow.ts";
import { concreteTypes } from "../../query/level/concrete-types.ts";
import { bindTarget } from "../../query/read/bind.ts";
import { type Mutation, refuse, sliceSize } from "../context/mutation.ts";

/** Their uids ascend, with a type for each. */
export type Gathered = Pick<Batch, "uids" | "types">;

/** Those that a filter lets through, and that the caller may both see and change: a filter must not tell what hidden nodes hold. */
export async function gatherNodes(mutation: Mutation, filter: unknown, purpose: "update" | "delete", transaction: Snapshot): Promise<Gathered> {
  const { type } = mutation;
  return gather(mutation, { target: type, types: type.members, filter, purpose }, transaction);
}

export interface Choice {
  readonly target: NodeType | UnionType;
  readonly filter: unknown;
  readonly purpose: "query" | "update" | "delete";
  /** Ascending. */
  readonly within: readonly Uid[];
}

/** Collects those of some nodes that a filter lets through, and that the caller may see and access so. */
export async function gatherAmong(mutation: Mutation, { target, filter, purpose, within }: Choice, transaction: Snapshot): Promise<Gathered> {
  return gather(mutation, { target, types: concreteTypes(target), filter, purpose }, transaction, { kind: "uids", uids: within });
}

interface Target {
  readonly target: NodeType | UnionType;
  readonly types: readonly NodeType[];
  readonly filter: unknown;
  readonly purpose: Purpose;
}

async function gather(mutation: Mutation, { types: asked, ...target }: Target, transaction: Snapshot, within?: Predicate): Promise<Gathered> {
  const seen = target.purpose === "query" ? undefined : await narrowTypes(asked, "choose", mutation.context);
  const { types, where } = await boundFilter(mutation, { ...target, types: seen?.types ?? asked });
  if (types.length === 0) return { uids: [], types: [] };
  return transaction.find({ types, where: and(...(within ? [within] : []), ...(seen ? [seen.where] : []), where), fields: [] });
}

/** A value that cannot be compared refuses the mutation when it is carried out. */
async function boundFilter(mutation: Mutation, target: Target): Promise<Awaited<ReturnType<typeof bindTarget>>> {
  try {
    return await bindTarget(target, mutation.context);
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
