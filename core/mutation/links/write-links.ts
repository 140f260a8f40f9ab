// Carries requested links out: reads who holds the ends they take, asks the rules about those displaced, plans, and holds what it decided by.

import type { Change } from "../../contracts/change.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import type { Uid } from "../../ground/values/value.ts";
import { isMasking } from "../../query/access/mask.ts";
import { allPermitted, hasRules } from "../access/authorize.ts";
import { displacedNotAuthorized } from "../context/error-messages.ts";
import type { Mutation } from "../context/mutation.ts";
import { readHolders } from "./link-facts.ts";
import { type LinkIntent, planLinks } from "./plan-links.ts";

/** The changes for `intents`. Nodes of which `isNew` holds are made by the same mutation. */
export async function linkChanges(
  mutation: Mutation,
  transaction: Transaction,
  intents: readonly LinkIntent[],
  isNew: (uid: Uid) => boolean,
): Promise<readonly Change[]> {
  if (intents.length === 0) return [];
  const { facts } = mutation;
  const { holder, read } = await readHolders(intents, { transaction, edges: facts.edges, isNew });
  const changes = planLinks(intents, holder, facts.edges);
  // Nothing is written that depends on these nodes.
  if (changes.length === 0) return [];
  const displaced = displacedNodes(mutation, intents, changes);
  if (hasRules(mutation) && !(await allPermitted(mutation, transaction, "displaced", displaced))) throw displacedNotAuthorized(mutation.root.field);
  const decided = isJudged(mutation) ? judgedNodes(intents, displaced, isNew) : read;
  if (decided.length > 0) await transaction.hold(decided);
  return changes;
}

/** Nodes outside the input that lose a link which one of their fields shows. */
function displacedNodes({ facts }: Mutation, intents: readonly LinkIntent[], changes: readonly Change[]): readonly NodeRef[] {
  const inInput = new Set(intents.flatMap(({ from, to }) => [from.uid, to.uid]));
  const displaced = new Map<Uid, NodeRef>();
  for (const change of changes) {
    if (change.kind !== "unlink") continue;
    const { end, from, fromType, to, toType } = change;
    if (!inInput.has(from)) displaced.set(from, { uid: from, type: fromType });
    if (!inInput.has(to) && facts.edges.isShown(end, fromType, toType)) displaced.set(to, { uid: to, type: toType });
  }
  return [...displaced.values()];
}

/** Whether rules or permissions decide by the values of nodes who may link them. */
function isJudged(mutation: Mutation): boolean {
  return hasRules(mutation) || isMasking(mutation.context.deployment);
}

function judgedNodes(intents: readonly LinkIntent[], displaced: readonly NodeRef[], isNew: (uid: Uid) => boolean): readonly NodeRef[] {
  const judged = new Map<Uid, NodeRef>(displaced.map((node) => [node.uid, node]));
  for (const { from, to } of intents) {
    if (!isNew(from.uid)) judged.set(from.uid, from);
    if (!isNew(to.uid)) judged.set(to.uid, to);
  }
  return [...judged.values()];
}
