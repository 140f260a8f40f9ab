// Applies the plugins' rules to the nodes that a mutation touches: which may be changed, referenced, displaced or added.

import type { NodeType } from "../../contracts/model.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import { and } from "../../contracts/predicate.ts";
import type { NodeRef, Snapshot } from "../../contracts/storage/snapshot.ts";
import type { Uid } from "../../ground/values/value.ts";
import { isNarrowing, isRuled, narrow } from "../../query/access/narrow.ts";
import { notAuthorized, stranger } from "../context/error-messages.ts";
import type { Mutation } from "../context/mutation.ts";

export type Permits = (uid: Uid) => boolean;

const everyNode: Permits = () => true;

export function hasRules(mutation: Pick<Mutation, "context">): boolean {
  return isNarrowing(mutation.context);
}

/** Throws when the caller is not identified. The error gives the reason for an existing node, and hides it for a new one. */
export function refuseUnidentified({ root, context: { refused } }: Mutation, touches: "existing" | "new" | "nothing" = "existing"): void {
  if (refused && touches === "existing") throw stranger(root.field, refused);
  if (refused && touches === "new") throw notAuthorized(refused);
}

/** Which of `nodes` the rules let pass for `purpose`. */
export async function permitted(
  mutation: Pick<Mutation, "context" | "facts">,
  transaction: Snapshot,
  purpose: Purpose,
  nodes: readonly NodeRef[],
): Promise<Permits> {
  if (!hasRules(mutation) || nodes.length === 0) return everyNode;
  const passing = new Set<Uid>();
  for (const [type, uids] of byType(mutation, nodes)) {
    const rule = await narrow(type, purpose, mutation.context);
    // Authorized nodes count as touched, also where the rule needs no read.
    if (rule.kind === "none" || rule.kind === "all") mutation.context.budget.spend(uids.length);
    if (rule.kind === "none") continue;
    if (rule.kind === "all") {
      for (const uid of uids) passing.add(uid);
      continue;
    }
    const batch = await transaction.find({ types: [type.stored], where: and({ kind: "uids", uids }, rule), fields: [] });
    for (const uid of batch.uids) passing.add(uid);
  }
  return (uid) => passing.has(uid);
}

/** Some rule says who may see nodes of `type`: an error must not disclose that one of them exists. */
export async function isUndisclosed(mutation: Mutation, type: NodeType): Promise<boolean> {
  if (!hasRules(mutation)) return false;
  const rules = await Promise.all(type.members.map((member) => isRuled(member, "query", mutation.context)));
  return rules.some(Boolean);
}

export async function allPermitted(mutation: Mutation, transaction: Snapshot, purpose: Purpose, nodes: readonly NodeRef[]): Promise<boolean> {
  const permits = await permitted(mutation, transaction, purpose, nodes);
  return nodes.every((node) => permits(node.uid));
}

export function byType(mutation: Pick<Mutation, "facts">, nodes: readonly NodeRef[]): ReadonlyMap<NodeType, readonly Uid[]> {
  const groups = new Map<NodeType, Set<Uid>>();
  for (const node of nodes) {
    const type = mutation.facts.typeOf(node.type);
    if (!type) continue;
    const group = groups.get(type);
    if (group) group.add(node.uid);
    else groups.set(type, new Set([node.uid]));
  }
  return new Map([...groups].map(([type, uids]) => [type, [...uids].sort((a, b) => a - b)]));
}
