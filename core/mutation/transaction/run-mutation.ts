// Runs one root field of a mutation in one transaction, and reads its payload.

import type { ChangeRecord } from "../../contracts/change-record.ts";
import type { Committed } from "../../contracts/storage/storage.ts";
import { QuernError } from "../../ground/errors.ts";
import type { OperationContext, RootResult } from "../../query/operation-context.ts";
import type { RootPlan } from "../../query/plan/plan.ts";
import { runQueryRoot } from "../../query/read/run-root.ts";
import { failedField } from "../../query/write/failed-field.ts";
import { CommittedView, type Finish } from "../run/payload.ts";
import { type PreparedMutation, prepareMutation } from "../run/prepare-mutation.ts";
import { runCommitHooks } from "./commit-hooks.ts";
import { runRootTransaction } from "./root-transaction.ts";
import { transact } from "./transact.ts";

export interface MutationResult extends RootResult {
  /** What the commit did; undefined when nothing was written. */
  readonly record?: ChangeRecord;
}

/** Returns a `QuernError` as a failed result; throws only faults of the server. */
export async function runMutationRoot(root: RootPlan, context: OperationContext): Promise<MutationResult> {
  try {
    if (root.operation.kind === "plugin") return await runQueryRoot(root, { ...context, transact: runRootTransaction });
    return await run(await prepareMutation(root, context));
  } catch (thrown) {
    return failedResult(root, thrown);
  }
}

async function run({ mutation, work, optimistic, nothing }: PreparedMutation): Promise<MutationResult> {
  const { context } = mutation;
  if (!work) return await finished(context, undefined, nothing);
  const committed = await transact(mutation, work, { optimistic, chose: ({ chose }) => chose });
  context.committed?.(committed.token);
  const result = await finished(context, committed, committed.result.finish);
  const { record } = committed;
  if (!record) return result;
  runCommitHooks(mutation, record);
  return { ...result, record };
}

async function finished(context: OperationContext, commit: Committed<unknown> | undefined, finish: Finish): Promise<RootResult> {
  const view = new CommittedView(context, commit);
  try {
    return await finish(view);
  } finally {
    view.close();
  }
}

/** A `QuernError` as the result of its root field. @throws anything else */
export function failedResult(root: RootPlan, thrown: unknown): RootResult {
  if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") throw thrown;
  const reasons = thrown.errors.length > 0 ? thrown.errors : [thrown];
  const errors = reasons.map((reason) => failedField(reason, [root.key]));
  return { json: "null", errors, failed: true, ...(reasons.some((reason) => reason.hidden) ? { hidden: true } : {}) };
}
