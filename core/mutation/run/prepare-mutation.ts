// From a planned root field to the work of a transaction: its arguments are read and checked as far as that needs no look at the data.

import type { Purpose } from "../../contracts/plugin/request-view.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { OperationContext } from "../../query/operation-context.ts";
import { widensByNulls } from "../../query/plan/partner-filters.ts";
import type { RootPlan } from "../../query/plan/plan.ts";
import type { Payload } from "../../query/read/read-payload.ts";
import { type Permits, permitted, refuseUnidentified } from "../access/authorize.ts";
import { sightOf } from "../access/sight.ts";
import { allByNulls } from "../context/error-messages.ts";
import type { Mutation, Together } from "../context/mutation.ts";
import { writeFacts } from "../context/write-facts.ts";
import { isObject } from "../input/input-tree.ts";
import { checkDeletePermissions } from "../prepare/written-names.ts";
import { assertCount } from "./assert-count.ts";
import { committedPayload, type Finish } from "./payload.ts";
import { prepareAdd } from "./run-add.ts";
import { deleteNodes } from "./run-delete.ts";
import { isEmpty, prepareUpdate, readPatches } from "./run-update.ts";

/** What the work of a mutation comes to. */
export interface Done {
  readonly finish: Finish;
  /** It was about nodes that are there, and perhaps left all of them as they were. */
  readonly chose: boolean;
}

type TransactionWork = (transaction: Transaction) => Promise<Done>;

/** A mutation that is ready for its transaction. */
export interface PreparedMutation {
  readonly mutation: Mutation;
  /** What it does in a transaction; undefined: nothing. It may run again. */
  readonly work: TransactionWork | undefined;
  /** `work` without look-ups. It is refused where these would have found something. */
  readonly optimistic?: TransactionWork | undefined;
  /** The payload when there is nothing to do. */
  readonly nothing: Finish;
}

/** @param together of mutations in one transaction */
export async function prepareMutation(root: RootPlan, context: OperationContext, together?: Together): Promise<PreparedMutation> {
  const { operation } = root;
  if (operation.kind !== "add" && operation.kind !== "update" && operation.kind !== "delete") throw new TypeError(`${operation.kind} is no mutation`);
  const mutation: Mutation = {
    root,
    context,
    kind: operation.kind,
    type: operation.node,
    facts: writeFacts.of(context.deployment),
    permits: (transaction, purpose, nodes) => permittedTo(mutation, { transaction, purpose, nodes }),
    sees: (transaction, nodes, fields) => sightOf(mutation, transaction, { nodes, fields }),
    together,
    attempt: together?.attempt ?? { scope: undefined },
  };
  const works = await worksOf(mutation, root.arguments(context.variables));
  return { mutation, ...works, nothing: (view) => committedPayload(mutation, { uids: [], numUids: 0 }, view) };
}

type Works = Pick<PreparedMutation, "work" | "optimistic">;

function worksOf(mutation: Mutation, args: Readonly<Record<string, unknown>>): MaybePromise<Works> {
  if (mutation.kind === "add") return addWorks(mutation, args);
  refuseUnidentified(mutation);
  return mutation.kind === "update" ? andThen(updateWork(mutation, args), (work) => ({ work })) : { work: deleteWork(mutation, args) };
}

function addWorks(mutation: Mutation, args: Readonly<Record<string, unknown>>): MaybePromise<Works> {
  return andThen(prepareAdd(mutation, args), ({ work, optimistic }) => ({
    work: withPayload(mutation, work),
    optimistic: optimistic && withPayload(mutation, optimistic),
  }));
}

async function updateWork(mutation: Mutation, args: Readonly<Record<string, unknown>>): Promise<PreparedMutation["work"]> {
  const input = isObject(args.input) ? args.input : {};
  const patches = readPatches(input, mutation);
  if (isEmpty(patches)) {
    assertCount(mutation, 0);
    return undefined;
  }
  refuseNullFilter(mutation, input.filter);
  return withPayload(mutation, await prepareUpdate(mutation, input.filter, patches));
}

function deleteWork(mutation: Mutation, { filter }: Readonly<Record<string, unknown>>): TransactionWork {
  refuseNullFilter(mutation, filter);
  return async (transaction) => ({ finish: await deleteNodes(mutation, filter, transaction), chose: false });
}

function withPayload(mutation: Mutation, work: (transaction: Transaction) => Promise<Payload>): TransactionWork {
  return async (transaction) => {
    const payload = await work(transaction);
    return { finish: (view) => committedPayload(mutation, payload, view), chose: payload.uids.length > 0 };
  };
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
