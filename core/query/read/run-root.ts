// Answers one root query: its own snapshot, its plan level by level, its text. What fails here fails this root field alone.

import type { RootContext, RootField } from "../../contracts/plugin.ts";
import type { Snapshot } from "../../contracts/storage.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import type { CommitToken, MaybePromise } from "../../ground/values/value.ts";
import type { OperationContext, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { withAllPowers } from "./all-powers.ts";
import { bindLevel, bindTarget } from "./bind.ts";
import { writeMeasures } from "./complete.ts";
import { executionFailure } from "./error-messages.ts";
import { getNode } from "./get-node.ts";
import { measure } from "./masked-measures.ts";
import { readAnswer } from "./read-answer.ts";
import { findRows, type Reading } from "./read-level.ts";
import { completeRows, type NodeRoot, shapeFault } from "./root-parts.ts";

/** Reads and completes `root` on a snapshot of its own. Fails with the compatible wording; the caller turns that into an entry of `errors`. */
export function runQueryRoot(root: RootPlan, context: OperationContext): MaybePromise<RootResult> {
  return onSnapshot(root, context, (snapshot) => answer(root, { snapshot, context }));
}

function onSnapshot(root: RootPlan, context: OperationContext, work: (snapshot: Snapshot) => MaybePromise<RootResult>): MaybePromise<RootResult> {
  const { storage, deployment, budget, after, watched, sent } = context;
  const told = sent && { sent: (query: string) => void sent.push(query) };
  const plain = storage.snapshot({ version: deployment.version, budget, ...(after !== undefined && { after }), ...told });
  const snapshot = withAllPowers(watched ? watched(plain) : plain, { supports: storage.supports, layout: deployment.layout });
  let result: MaybePromise<RootResult>;
  try {
    result = work(snapshot);
  } catch (error) {
    snapshot.close();
    throw executionFailure(error, root.key);
  }
  if (isPromise(result)) return closing(result, root, snapshot);
  snapshot.close();
  return result;
}

async function closing(result: PromiseLike<RootResult>, root: RootPlan, snapshot: Reading["snapshot"]): Promise<RootResult> {
  try {
    return await result;
  } catch (error) {
    throw executionFailure(error, root.key);
  } finally {
    snapshot.close();
  }
}

function answer(root: RootPlan, reading: Reading): MaybePromise<RootResult> {
  const { operation } = root;
  const { context } = reading;
  const shape = root.selection.select(context.variables);
  switch (operation.kind) {
    case "get":
      return getNode({ root, node: operation.node, shape }, reading);
    case "query":
      return queryNodes({ root, node: operation.node, shape }, reading);
    case "aggregate":
      return aggregateNodes({ root, node: operation.node, shape }, reading);
    case "plugin":
      return runPluginRoot(root, operation.root, reading);
    default:
      throw new QuernError("INTERNAL", `${root.field} is no query.`);
  }
}

/** Answers after a commit of its own are read from a snapshot that sees it. */
function runPluginRoot(root: RootPlan, field: RootField, reading: Reading): MaybePromise<RootResult> {
  const { context, snapshot } = reading;
  let last: CommitToken | undefined;
  const execute: RootContext["execute"] = (request) => {
    if (!context.nested) throw new QuernError("INTERNAL", "This request runs no others.");
    const seeing = last === undefined ? context : { ...context, after: last };
    const mayWrite = field.operation === "mutation";
    return context.nested(request, { context: seeing, mayWrite, committed: (token) => (last = token) });
  };
  const given = field.run({ arguments: root.arguments(context.variables), snapshot, request: context.request, execute });
  return andThen(given, (value) => {
    if (last === undefined) return readAnswer(root, value, reading);
    context.committed?.(last);
    const seeing = { ...context, after: last };
    return onSnapshot(root, seeing, (fresh) => readAnswer(root, value, { snapshot: fresh, context: seeing }));
  });
}

function queryNodes({ root, shape }: NodeRoot, reading: Reading): MaybePromise<RootResult> {
  if (shape.kind !== "nodes") throw shapeFault(root);
  const rows = andThen(bindLevel(shape.level, { context: reading.context, purpose: "query" }), (bound) => findRows(bound, reading));
  return andThen(rows, (found) => completeRows(root, found, { type: shape.type, context: reading.context }));
}

function aggregateNodes({ root, node, shape }: NodeRoot, reading: Reading): MaybePromise<RootResult> {
  if (shape.kind !== "measures") throw shapeFault(root);
  const { context, snapshot } = reading;
  const filter = root.arguments(context.variables).filter;
  const bound = bindTarget({ target: node, types: node.members, filter, purpose: "query" }, context);
  return andThen(bound, ({ types, where, denied, masks }) => {
    if (denied) return { json: "null", errors: [] };
    // A count may come from a counter alone, without a look at any node; that was a read too.
    context.budget.spend(1);
    const measured = measure({ over: { types, where }, measures: shape.measures.measures }, masks, snapshot);
    return andThen(measured, ([row]) => ({ json: writeMeasures(row ?? [], shape.measures), errors: [] }));
  });
}
