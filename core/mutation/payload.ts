// The answer of a mutation: the payload read through the ordinary read path, on the transaction or on what it committed.

import type { Snapshot } from "../contracts/storage.ts";
import { type ErrorCode, QuernError } from "../ground/errors.ts";
import type { CommitToken, MaybePromise } from "../ground/values/value.ts";
import type { RootResult } from "../query/operation-context.ts";
import type { RootPlan } from "../query/plan/plan.ts";
import { readContext } from "../query/read/read-context.ts";
import { beginPayload, type Payload, readPayload } from "../query/read/read-payload.ts";
import { payloadFailed } from "./error-messages.ts";
import type { Mutation } from "./mutation.ts";

/** The request itself is at fault: reading again would fail again, and the transaction may commit. */
const requestFaults: ReadonlySet<ErrorCode> = new Set(["OPERATION_FAILED", "VALUE_INVALID"]);

/**
 * The payload before nodes are deleted; call its result after the commit. When the request ends early (time, limits, a client that left), the
 * transaction is rolled back.
 */
export async function payloadBefore({ root, context }: Mutation, transaction: Snapshot, payload: Payload): Promise<() => Promise<RootResult>> {
  try {
    const budget = context.budget.whileWriting();
    const finish = await beginPayload(root, payload, readContext(root, { ...context, budget }, transaction));
    return () => afterCommit(root, finish);
  } catch (thrown) {
    if (thrown instanceof QuernError && requestFaults.has(thrown.code)) return async () => unreadable(root, thrown);
    throw thrown;
  }
}

/** The payload after the commit `after`. */
export async function committedPayload({ root, context }: Mutation, payload: Payload, after: CommitToken | undefined): Promise<RootResult> {
  const { storage, deployment, budget } = context;
  const snapshot = storage.snapshot({ version: deployment.version, budget, ...(after === undefined ? {} : { after }) });
  try {
    return await afterCommit(root, () => readPayload(root, payload, readContext(root, context, snapshot)));
  } finally {
    snapshot.close();
  }
}

/** A failure to read the payload becomes an error of the answer; the commit stands. */
async function afterCommit(root: RootPlan, read: () => MaybePromise<RootResult>): Promise<RootResult> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return unreadable(root, thrown);
    throw thrown;
  }
}

function unreadable(root: RootPlan, thrown: QuernError): RootResult {
  const reason = thrown.cause instanceof QuernError ? thrown.cause : thrown;
  return { json: "null", errors: [{ message: payloadFailed(root.field, reason).message, path: [root.key] }] };
}
