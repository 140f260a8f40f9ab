// What every step of one running mutation shares.

import type { Change } from "../contracts/change.ts";
import type { ChangesContext } from "../contracts/plugin.ts";
import type { Committed, Transaction } from "../contracts/storage.ts";
import { QuernError } from "../errors.ts";
import type { Execution } from "../execution.ts";
import type { NodeType } from "../model/model.ts";
import type { RootPlan } from "../plan/plan.ts";
import type { Payload } from "../read/read-payload.ts";
import { type Stage, wrap } from "./wording.ts";
import type { WriteFacts } from "./write-facts.ts";

export interface Mutation {
  readonly root: RootPlan;
  readonly execution: Execution;
  readonly facts: WriteFacts;
  readonly kind: "add" | "update" | "delete";
  readonly type: NodeType;
}

/** What a committed mutation came to. */
export type CommittedOutcome = Committed<Payload>;

/** Nodes that one write of an update or a delete covers. */
export const sliceSize = 1_000;

/** Throws all of `reasons` as one, each inside the text of its stage. */
export function refuse(stage: Stage, mutation: Mutation, reasons: readonly QuernError[]): void {
  if (reasons.length === 0) return;
  const errors = reasons.map((reason) => wrap(stage, mutation.root.field, reason, mutation.root.location));
  throw new QuernError("OPERATION_FAILED", errors.map((each) => each.message).join("\n"), { errors });
}

/** Runs the `changes` hooks and writes what they leave. Returns what was written. */
export async function writeChanges(mutation: Mutation, transaction: Transaction, changes: readonly Change[]): Promise<readonly Change[]> {
  let written = changes;
  for (const { hooks } of mutation.facts.plugins) {
    if (hooks.changes) written = (await asStage(mutation, () => hooks.changes?.(changesContext(mutation, transaction, written)))) ?? written;
  }
  if (written.length > 0) await transaction.write(written);
  return written;
}

/** Runs the `check` hooks over everything that was written. */
export async function checkChanges(mutation: Mutation, transaction: Transaction, changes: readonly Change[]): Promise<void> {
  for (const { hooks } of mutation.facts.plugins) {
    if (hooks.check) await asStage(mutation, () => hooks.check?.(changesContext(mutation, transaction, changes)));
  }
}

function changesContext({ root, execution, kind, type }: Mutation, transaction: Transaction, changes: readonly Change[]): ChangesContext {
  return {
    changes,
    transaction,
    request: execution.request,
    mutation: { field: root.field, kind, type },
    uids: (count) => transaction.uids(count),
  };
}

/** What a plugin throws refuses the mutation at stage 4. */
async function asStage<T>(mutation: Mutation, work: () => T): Promise<Awaited<T>> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof QuernError) refuse("execute", mutation, [thrown]);
    throw thrown;
  }
}
