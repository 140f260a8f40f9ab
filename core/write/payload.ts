// The answer of a mutation: the payload read through the ordinary read path, on the transaction or on what it committed.

import type { Snapshot } from "../contracts/storage.ts";
import type { CommitToken } from "../contracts/values.ts";
import { QuernError } from "../errors.ts";
import type { RootResult } from "../execution.ts";
import { type Payload, readPayload } from "../read/read-payload.ts";
import type { Mutation } from "./mutation.ts";
import { payloadFailed } from "./wording.ts";

/** Reads the payload on `snapshot`. What cannot be read there is told, and undoes nothing. */
export async function payloadOf({ root, execution }: Mutation, snapshot: Snapshot, payload: Payload): Promise<RootResult> {
  try {
    return await readPayload(root, payload, snapshot, execution);
  } catch (thrown) {
    if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") throw thrown;
    const reason = thrown.cause instanceof QuernError ? thrown.cause : thrown;
    return { json: "null", errors: [{ message: payloadFailed(root.field, reason).message, path: [root.key] }] };
  }
}

/** The payload as it is after the commit `after`. */
export async function committedPayload(mutation: Mutation, payload: Payload, after: CommitToken | undefined): Promise<RootResult> {
  const { storage, deployment, budget } = mutation.execution;
  const snapshot = storage.snapshot({ version: deployment.version, budget, ...(after === undefined ? {} : { after }) });
  try {
    return await payloadOf(mutation, snapshot, payload);
  } finally {
    snapshot.close();
  }
}
