// The answer of a mutation: the payload read through the ordinary read path, on the transaction or on what it committed.

import type { Snapshot } from "../contracts/storage.ts";
import { type ErrorCode, QuernError } from "../ground/errors.ts";
import type { CommitToken } from "../ground/values/value.ts";
import type { RootResult } from "../query/operation-context.ts";
import type { RootPlan } from "../query/plan/plan.ts";
import { type Payload, readPayload } from "../query/read/read-payload.ts";
import { payloadFailed } from "./error-messages.ts";
import type { Mutation } from "./mutation.ts";

/** What lies in the request itself: reading again would fail again, and what is written may be written. */
const requestFaults: ReadonlySet<ErrorCode> = new Set(["OPERATION_FAILED", "VALUE_INVALID"]);

/** The payload as it is before nodes go. A request that is over (time, limits, a client that left) takes the transaction along. */
export async function payloadBefore({ root, context }: Mutation, transaction: Snapshot, payload: Payload): Promise<RootResult> {
  try {
    return await readPayload(root, payload, transaction, context);
  } catch (thrown) {
    if (thrown instanceof QuernError && requestFaults.has(thrown.code)) return unreadable(root, thrown);
    throw thrown;
  }
}

/** The payload as it is after the commit `after`. What cannot be read is told, and undoes nothing. */
export async function committedPayload({ root, context }: Mutation, payload: Payload, after: CommitToken | undefined): Promise<RootResult> {
  const { storage, deployment, budget } = context;
  const snapshot = storage.snapshot({ version: deployment.version, budget, ...(after === undefined ? {} : { after }) });
  try {
    return await readPayload(root, payload, snapshot, context);
  } catch (thrown) {
    if (thrown instanceof QuernError && thrown.code !== "INTERNAL") return unreadable(root, thrown);
    throw thrown;
  } finally {
    snapshot.close();
  }
}

function unreadable(root: RootPlan, thrown: QuernError): RootResult {
  const reason = thrown.cause instanceof QuernError ? thrown.cause : thrown;
  return { json: "null", errors: [{ message: payloadFailed(root.field, reason).message, path: [root.key] }] };
}
