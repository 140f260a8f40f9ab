// Answers one root field: opens a snapshot, reads its plan level by level, writes its text. An error fails this root field alone.

import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import type { RootShape } from "../level/selection.ts";
import type { OperationContext, ReadContext, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { executionFailure } from "../write/error-messages.ts";
import { bindLevel, bindStep } from "./bind.ts";
import { findNearestRows, searchOf } from "./find-nearest.ts";
import { getNode } from "./get-node.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { type PluginRoot, PluginRootContext } from "./plugin-root-context.ts";
import { readAnswer } from "./read-answer.ts";
import { readContext } from "./read-context.ts";
import { findRows, readRootStep } from "./read-level.ts";
import { completeRows, completeStep, type NodeRoot, shapeFault } from "./root-parts.ts";

/**
 * Answers `root`, a query or a plugin's root field, on a snapshot of its own.
 *
 * @throws QuernError with the compatible text; the caller makes an entry of `errors` from it
 */
export function runQueryRoot(root: RootPlan, context: OperationContext): MaybePromise<RootResult> {
  return onSnapshot(root, context, (snapshot) => answer(root, context, snapshot));
}

/** A root field that committed is answered from a new snapshot, which sees that commit. */
function runPluginRoot(plugin: PluginRoot): MaybePromise<RootResult> {
  const { root, field, context, read } = plugin;
  const running = new PluginRootContext(plugin);
  return andThen(field.run(running), (value) => {
    const { committed } = running;
    if (committed === undefined) return run(readAnswer(root, value, read), read.budget);
    context.committed?.(committed);
    return onSnapshot(root, { ...context, after: committed, shared: undefined }, (snapshot) =>
      run(readAnswer(root, value, { ...read, snapshot }), read.budget),
    );
  });
}

/** Opens a snapshot for `work` and closes it when `work` ends; or works on the one that all root fields share. */
function onSnapshot(root: RootPlan, context: OperationContext, work: (snapshot: Snapshot) => MaybePromise<RootResult>): MaybePromise<RootResult> {
  const { shared } = context;
  const snapshot = shared?.use(() => openSnapshot(context)) ?? openSnapshot(context);
  let result: MaybePromise<RootResult>;
  try {
    result = work(snapshot);
  } catch (error) {
    if (!shared) snapshot.close();
    throw executionFailure(error, root.key);
  }
  if (isPromise(result)) return closing(result, root, shared ? undefined : snapshot);
  if (!shared) snapshot.close();
  return result;
}

async function closing(result: PromiseLike<RootResult>, root: RootPlan, snapshot: Snapshot | undefined): Promise<RootResult> {
  try {
    return await result;
  } catch (error) {
    throw executionFailure(error, root.key);
  } finally {
    snapshot?.close();
  }
}

function answer(root: RootPlan, operationContext: OperationContext, snapshot: Snapshot): MaybePromise<RootResult> {
  const { operation } = root;
  const context = readContext(root, operationContext, snapshot);
  const shape = root.selection.select(context.variables);
  switch (operation.kind) {
    case "get":
      return run(getNode({ root, node: operation.node, shape }, context), context.budget);
    case "query":
      return run(queryNodes({ root, node: operation.node, shape }, context), context.budget);
    case "list":
    case "aggregate":
      return run(readStep(root, shape, context), context.budget);
    case "plugin":
      return runPluginRoot({ root, field: operation.root, context: operationContext, read: context });
    default:
      throw new QuernError("INTERNAL", `${root.field} is no query.`);
  }
}

function* queryNodes({ root, shape }: NodeRoot, context: ReadContext): Work<RootResult> {
  if (shape.kind !== "nodes") throw shapeFault(root);
  const search = searchOf(root, context);
  const bound = yield* wait(bindLevel(shape.level, { context, purpose: "query" }));
  const rows = search ? yield* findNearestRows(bound, search, context) : yield* findRows(bound, context);
  return yield* completeRows(root, rows, { type: shape.type, context });
}

function* readStep(root: RootPlan, shape: RootShape, context: ReadContext): Work<RootResult> {
  if (shape.kind !== "step") throw shapeFault(root);
  const bound = yield* bindStep(shape.step, { context, purpose: "query" });
  return yield* completeStep(root, yield* readRootStep(bound, context), context);
}
