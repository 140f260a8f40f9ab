// What of nodes the caller of a mutation may read. What a write refuses, changes or leaves as it is must not tell the rest.

import type { Sees } from "../../contracts/plugin/mutation-hooks.ts";
import { all, and, type Predicate } from "../../contracts/predicate.ts";
import type { NodeRef, Snapshot } from "../../contracts/storage/snapshot.ts";
import type { EndName, FieldName, Uid } from "../../ground/values/value.ts";
import { hidesFields, isMasking, masksOf } from "../../query/access/mask.ts";
import { narrow } from "../../query/access/narrow.ts";
import type { Mutation } from "../context/mutation.ts";
import { byType, hasRules } from "./authorize.ts";

export const seesAll: Sees = () => true;

/** Whether something of the data may be hidden from the caller. */
export function conceals(mutation: Pick<Mutation, "context">): boolean {
  const { permissions, deployment } = mutation.context;
  return permissions !== undefined || hasRules(mutation) || hidesFields(deployment);
}

export interface SightRequest {
  readonly nodes: readonly NodeRef[];
  readonly fields: readonly (FieldName | EndName)[];
}

/** Which of `fields` the caller may read of which of `nodes`, as they now are. */
export async function sightOf(mutation: Pick<Mutation, "context" | "facts">, transaction: Snapshot, { nodes, fields }: SightRequest): Promise<Sees> {
  if (nodes.length === 0 || fields.length === 0 || !conceals(mutation)) return seesAll;
  const { context } = mutation;
  const seen = new Map<FieldName | EndName, Set<Uid>>(fields.map((field) => [field, new Set()]));
  for (const [type, uids] of byType(mutation, nodes)) {
    const rule = await narrow(type, "query", context);
    const masks = isMasking(context.deployment) ? await masksOf([type], "query", context) : undefined;
    const passing = new Map<Predicate, readonly Uid[]>();
    for (const [field, found] of seen) {
      const visible = masks?.get(field)?.visible ?? all;
      const shown = passing.get(visible) ?? (await passingUids(transaction, { type: type.stored, uids, where: and(rule, visible) }));
      passing.set(visible, shown);
      for (const uid of shown) found.add(uid);
    }
  }
  return (uid, field) => seen.get(field)?.has(uid) === true;
}

interface Passing {
  readonly type: string;
  readonly uids: readonly Uid[];
  readonly where: Predicate;
}

async function passingUids(transaction: Snapshot, { type, uids, where }: Passing): Promise<readonly Uid[]> {
  if (where.kind === "all") return uids;
  if (where.kind === "none") return [];
  return (await transaction.find({ types: [type], where: and({ kind: "uids", uids }, where), fields: [] })).uids;
}
