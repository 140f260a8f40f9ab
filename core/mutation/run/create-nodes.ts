// New nodes of a mutation: their ids, their changes, and the rules about adding them.

import type { Change } from "../../contracts/change.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { allPermitted } from "../access/authorize.ts";
import { notAuthorized } from "../context/error-messages.ts";
import type { Mutation } from "../context/mutation.ts";
import type { InputNode } from "../input/input-tree.ts";
import type { Contents } from "../input/input-values.ts";
import { newFields } from "../input/patch-fields.ts";
import type { RequestedLink, Target } from "../keys/resolve.ts";
import type { LinkIntent } from "../links/plan-links.ts";
import { refOf } from "../prepare/prepare-input.ts";

/** The node that an input object has become. */
export type NodeOf = (input: InputNode) => NodeRef | undefined;

export function assignUids(transaction: Transaction, created: readonly InputNode[]): MaybePromise<ReadonlyMap<InputNode, NodeRef>> {
  const nodes = new Map<InputNode, NodeRef>();
  if (created.length === 0) return nodes;
  return andThen(transaction.uids(created.length), (uids) => {
    for (let i = 0; i < created.length; i++) {
      const input = created[i];
      if (input !== undefined) nodes.set(input, { uid: uids[i] ?? 0, type: input.type.stored });
    }
    return nodes;
  });
}

export function creations(nodes: ReadonlyMap<InputNode, NodeRef>, contents: Contents): readonly Change[] {
  const changes: Change[] = [];
  nodes.forEach(({ uid, type }, input) => {
    changes.push({ kind: "create", uid, type, fields: newFields(input.type, contents(input)) });
  });
  return changes;
}

/** After writing: every new node must satisfy the rules of its type about adding. */
export async function checkCreated(mutation: Mutation, transaction: Transaction, nodes: ReadonlyMap<InputNode, NodeRef>): Promise<void> {
  if (await allPermitted(mutation, transaction, "add", [...nodes.values()])) return;
  // No payload counts them. They are what the caller sent, so the number discloses nothing.
  mutation.context.budget.show(nodes.size);
  throw notAuthorized();
}

/** After writing: every node that was to be changed must still satisfy the rules of its type about that. */
export async function checkUpdated(mutation: Mutation, transaction: Transaction, nodes: readonly NodeRef[]): Promise<void> {
  if (!(await allPermitted(mutation, transaction, "updated", nodes))) throw notAuthorized();
}

/** Requested links whose nodes are known, as links from `owner`. */
export function linkIntents(kind: LinkIntent["kind"], requested: readonly RequestedLink[], nodes: NodeOf): readonly LinkIntent[] {
  return requested.flatMap(({ owner, field, target }) => {
    const from = nodes(owner);
    const to = nodeOf(target, nodes);
    return from && to ? [{ kind, end: field.stored, from, to }] : [];
  });
}

export function nodeOf(target: Target, nodes: NodeOf): NodeRef | undefined {
  return target.kind === "existing" ? refOf(target.node) : nodes(target.input);
}
