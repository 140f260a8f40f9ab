// The answer of a mutation: the payload read through the ordinary read path, on the transaction or on what it committed.

import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { Committed } from "../../contracts/storage/storage.ts";
import { type ErrorCode, QuernError } from "../../ground/errors.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { OperationBudget, OperationContext, RootResult } from "../../query/operation-context.ts";
import { readContext } from "../../query/read/read-context.ts";
import { beginPayload, type Payload, readPayload, unreadPayload } from "../../query/read/read-payload.ts";
import { payloadFailed } from "../context/error-messages.ts";
import type { Mutation } from "../context/mutation.ts";

/** Where payloads are read. */
export interface PayloadView {
  readonly snapshot: Snapshot;
  /** True: the commit stands, whatever goes wrong while a payload is read. */
  readonly isCommitted: boolean;
}

/** Reads the payload. An error in it undoes nothing that is committed. */
export type Finish = (view: PayloadView) => Promise<RootResult>;

/** The request itself is at fault: reading again would fail again, and the transaction may commit. */
const requestFaults: ReadonlySet<ErrorCode> = new Set(["OPERATION_FAILED", "VALUE_INVALID"]);

/**
 * The payload before nodes are deleted; call its result after the commit. When the request ends early (time, limits, a client that left), the
 * transaction is rolled back.
 */
export async function payloadBefore(mutation: Mutation, transaction: Snapshot, payload: Payload): Promise<Finish> {
  const { root, context } = mutation;
  try {
    const budget = context.budget.whileWriting();
    const finish = await beginPayload(root, payload, readContext(root, { ...context, budget }, transaction));
    return (view) => afterCommit({ mutation, payload, view }, finish);
  } catch (thrown) {
    if (!(thrown instanceof QuernError && requestFaults.has(thrown.code))) throw thrown;
    return (view) =>
      afterCommit({ mutation, payload, view }, () => {
        throw thrown;
      });
  }
}

type Commit = Pick<Committed<unknown>, "token" | "snapshot">;

/** The data after a commit, for the payloads of all its mutations. Opened when the first payload needs it. */
export class CommittedView implements PayloadView {
  readonly isCommitted = true;
  readonly #context: OperationContext;
  readonly #commit: Commit | undefined;
  #snapshot: Snapshot | undefined;

  /** @param commit undefined: nothing was to be done */
  constructor(context: OperationContext, commit: Commit | undefined) {
    this.#context = context;
    this.#commit = commit;
  }

  get snapshot(): Snapshot {
    this.#snapshot ??= this.#open();
    return this.#snapshot;
  }

  #open(): Snapshot {
    const { storage, deployment, budget } = this.#context;
    const { version } = deployment;
    if (this.#commit === undefined) return storage.snapshot({ version, budget });
    return this.#commit.snapshot?.({ version, budget }) ?? storage.snapshot({ version, budget, after: this.#commit.token });
  }

  close(): void {
    this.#snapshot?.close();
  }
}

/** The payload after a commit, or in a transaction that goes on. */
export function committedPayload(mutation: Mutation, payload: Payload, view: PayloadView): Promise<RootResult> {
  const { root, context } = mutation;
  return afterCommit({ mutation, payload, view }, () => readPayload(root, payload, readContext(root, context, view.snapshot)));
}

interface Written {
  readonly mutation: Mutation;
  readonly payload: Payload;
  readonly view: PayloadView;
}

/** A failure to read the payload becomes an error of the answer; the commit stands. */
async function afterCommit({ mutation, payload, view }: Written, read: () => MaybePromise<RootResult>): Promise<RootResult> {
  try {
    return fitting(await read(), mutation.context.budget);
  } catch (thrown) {
    if (!view.isCommitted) throw thrown;
    return unreadable(mutation, payload, thrown);
  }
}

/** @throws `LIMIT_REACHED` when the answer would be too long with it; the pipeline counts what fits */
function fitting(result: RootResult, budget: OperationBudget): RootResult {
  const bytes = typeof result.json === "string" ? Buffer.byteLength(result.json) : 0;
  if (bytes > budget.room) budget.answered(bytes);
  return result;
}

/** What is known without reading, and for each list an error whose code says that the mutation must not be repeated. */
function unreadable({ root, context }: Mutation, payload: Payload, thrown: unknown): RootResult {
  const { json, missing } = unreadPayload(root, payload, context.variables);
  const isExpected = thrown instanceof QuernError && thrown.code !== "INTERNAL";
  const reason = isExpected ? (thrown.cause instanceof QuernError ? thrown.cause : thrown) : faulty;
  const { message, compatible = message } = payloadFailed(root.field, reason);
  const errors = missing.map((path) => ({ code: "COMMITTED" as const, message, compatible, path, extensions: { code: "COMMITTED" } }));
  return isExpected ? { json, errors } : { json, errors, fault: thrown };
}

const faulty = new QuernError("INTERNAL", "the server failed; its log has the error");
