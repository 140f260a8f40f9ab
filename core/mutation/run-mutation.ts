// Runs one root field of a mutation in one transaction, and reads its payload.

import type { ChangeRecord } from "../contracts/change-record.ts";
import type { Purpose } from "../contracts/plugin.ts";
import type { NodeRef, Transaction } from "../contracts/storage.ts";
import { QuernError } from "../ground/errors.ts";
import { rescued } from "../ground/maybe-promise.ts";
import type { OperationContext, ResponseError, RootResult } from "../query/operation-context.ts";
import { widensByNulls } from "../query/plan/partner-filters.ts";
import type { RootPlan } from "../query/plan/plan.ts";
import { runQueryRoot } from "../query/read/run-root.ts";
import { type Permits, permitted, refuseUnidentified } from "./authorize.ts";
import { allByNulls } from "./error-messages.ts";
import { isObject } from "./input-tree.ts";
import type { CommittedOutcome, Mutation } from "./mutation.ts";
import { committedPayload } from "./payload.ts";
import { runAdd } from "./run-add.ts";
import { runDelete } from "./run-delete.ts";
import { readPatches, runUpdate } from "./run-update.ts";
import { writeFacts } from "./write-facts.ts";
import { checkDeletePermissions } from "./written-names.ts";

export interface MutationResult extends RootResult {
  /** What the commit did; undefined when nothing was written. */
  readonly record?: ChangeRecord;
}

/** Returns a `QuernError` as a failed result; throws only faults of the server. */
export async function runMutationRoot(root: RootPlan, context: OperationContext): Promise<MutationResult> {
  try {
    return await runRoot(root, context);
  } catch (thrown) {
    if (!(thrown instanceof QuernError) || thrown.code === "INTERNAL") throw thrown;
    return failure(root, thrown);
  }
}

async function runRoot(root: RootPlan, context: OperationContext): Promise<MutationResult> {
  const { operation } = root;
  if (operation.kind === "plugin") return runQueryRoot(root, context);
  if (operation.kind !== "add" && operation.kind !== "update" && operation.kind !== "delete") throw new TypeError(`${operation.kind} is no mutation`);
  const mutation: Mutation = {
    root,
    context,
    kind: operation.kind,
    type: operation.node,
    facts: writeFacts(context.deployment),
    permits: (transaction, purpose, nodes) => permittedTo(mutation, { transaction, purpose, nodes }),
  };
  const args = root.arguments(context.variables);
  const result = await (operation.kind === "add"
    ? add(mutation, args)
    : operation.kind === "update"
      ? update(mutation, args)
      : remove(mutation, args));
  if (result.record) runCommitHooks(mutation, result.record);
  return result;
}

async function add(mutation: Mutation, args: Readonly<Record<string, unknown>>): Promise<MutationResult> {
  return answered(mutation, await runAdd(mutation, args));
}

async function update(mutation: Mutation, args: Readonly<Record<string, unknown>>): Promise<MutationResult> {
  refuseUnidentified(mutation);
  const input = isObject(args.input) ? args.input : {};
  const patches = readPatches(input, mutation);
  if (!patches.set && !patches.remove && patches.members.length === 0) return committedPayload(mutation, { uids: [], numUids: 0 }, undefined);
  refuseNullFilter(mutation, input.filter);
  return answered(mutation, await runUpdate(mutation, input.filter, patches));
}

async function remove(mutation: Mutation, args: Readonly<Record<string, unknown>>): Promise<MutationResult> {
  refuseUnidentified(mutation);
  refuseNullFilter(mutation, args.filter);
  const { result: finish, record, token } = await runDelete(mutation, args.filter);
  mutation.context.committed?.(token);
  const result = await finish();
  return record ? { ...result, record } : result;
}

interface Access {
  readonly transaction: Transaction;
  readonly purpose: Purpose;
  readonly nodes: readonly NodeRef[];
}

async function permittedTo(mutation: Mutation, { transaction, purpose, nodes }: Access): Promise<Permits> {
  if (purpose === "delete") checkDeletePermissions(mutation, [...new Set(nodes.flatMap(({ type }) => mutation.facts.typeOf(type) ?? []))]);
  return await permitted(mutation, transaction, purpose, nodes);
}

function refuseNullFilter({ root, type, context }: Mutation, filter: unknown): void {
  if (widensByNulls(context.deployment.api, type, filter)) throw allByNulls(root.field);
}

/** The payload shows the data after the commit. An error in it does not undo the mutation. */
async function answered(mutation: Mutation, { result, token, record }: CommittedOutcome): Promise<MutationResult> {
  mutation.context.committed?.(token);
  const payload = await committedPayload(mutation, result, token);
  return record ? { ...payload, record } : payload;
}

/** An error of a plugin is logged; the commit stands. */
function runCommitHooks({ context, facts }: Mutation, record: ChangeRecord): void {
  for (const { plugin, hooks } of facts.plugins) {
    if (!hooks.commit) continue;
    const failed = (thrown: unknown) => context.log.fault(thrown, { requestID: context.request.id, plugin, where: "after a commit" });
    rescued<void>(() => hooks.commit?.(record, context.request), failed);
  }
}

function failure(root: RootPlan, thrown: QuernError): RootResult {
  const reasons = thrown.errors.length > 0 ? thrown.errors : [thrown];
  const errors = reasons.map(
    (reason): ResponseError => ({
      message: reason.message,
      ...(reason.locations ? { locations: reason.locations } : {}),
      path: reason.path ?? [root.key],
    }),
  );
  return { json: "null", errors, failed: true, ...(reasons.some((reason) => reason.hidden) ? { hidden: true } : {}) };
}
