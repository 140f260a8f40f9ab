// Answers one root field: opens a snapshot, reads its plan level by level, writes its text. An error fails this root field alone.

import type { RootContext, RootField } from "../../contracts/plugin/root-field.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import type { CommitToken, MaybePromise } from "../../ground/values/value.ts";
import { run, type Work, wait } from "../../ground/work.ts";
import { callersView, viewOutsideRules } from "../access/answer-views.ts";
import { endless } from "../level/endless.ts";
import { givenVariables } from "../level/given-variables.ts";
import { nestedRequest, onlyReads } from "../level/nested-request.ts";
import type { RootShape, Variables } from "../level/selection.ts";
import type { SelectedField } from "../level/shapes.ts";
import type { OperationContext, ReadContext, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { executionFailure } from "../write/error-messages.ts";
import { bindLevel, bindStep } from "./bind.ts";
import { findNearestRows, searchOf } from "./find-nearest.ts";
import { getNode } from "./get-node.ts";
import { openSnapshot } from "./open-snapshot.ts";
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
      return runPluginRoot({ root, field: operation.root }, operationContext, context);
    default:
      throw new QuernError("INTERNAL", `${root.field} is no query.`);
  }
}

interface PluginRoot {
  readonly root: RootPlan;
  readonly field: RootField;
}

/** A root field that committed is answered from a new snapshot, which sees that commit. */
function runPluginRoot({ root, field }: PluginRoot, context: OperationContext, read: ReadContext): MaybePromise<RootResult> {
  let last: CommitToken | undefined;
  let isTransacting = false;
  const seeing = () => (last === undefined ? context : { ...context, after: last });
  const execute: RootContext["execute"] = (request) => {
    const refusesWrites = field.operation === "query" ? onlyReads : isTransacting ? waitsForItself : undefined;
    return nestedRequest(request, { context: seeing(), refusesWrites, committed: (token) => (last = token) });
  };
  const transaction: RootContext["transaction"] = async (work) => {
    const { transact } = context;
    if (field.operation === "query" || transact === undefined) throw new QuernError("REQUEST_REFUSED", onlyReads);
    if (isTransacting) throw new QuernError("REQUEST_REFUSED", waitsForItself);
    isTransacting = true;
    try {
      const { result, token } = await transact(work, seeing());
      last = token;
      return result;
    } finally {
      isTransacting = false;
    }
  };
  const mayRead = (name: string) => context.permissions?.mayRead(name) ?? true;
  const visible = () => callersView(read.snapshot, context);
  const outsideRules = () => viewOutsideRules(read.snapshot, context);
  const given = field.run(rootContext(root, read, { execute, transaction, mayRead, visible, outsideRules }));
  return andThen(given, (value) => {
    if (last === undefined) return run(readAnswer(root, value, read), read.budget);
    context.committed?.(last);
    return onSnapshot(root, { ...context, after: last, shared: undefined }, (snapshot) =>
      run(readAnswer(root, value, { ...read, snapshot }), read.budget),
    );
  });
}

/** On a store with one writer, the other would wait for the transaction, and the transaction for the other. */
const waitsForItself = "A transaction of this root field is open: use the execute of the transaction itself, or begin when it has ended.";

function rootContext(
  root: RootPlan,
  { snapshot, request, variables, budget, operation }: ReadContext,
  { execute, transaction, mayRead, visible, outsideRules }: Pick<RootContext, "execute" | "transaction" | "mayRead" | "visible" | "outsideRules">,
): RootContext {
  return {
    arguments: root.arguments(variables),
    get sent() {
      return root.sent(operation.given);
    },
    snapshot,
    visible,
    outsideRules,
    request,
    execute,
    transaction,
    mayRead,
    get selection() {
      return { ...selectedBy(root, variables), variables: givenVariables(variables) };
    },
    get signal() {
      return budget.signal ?? endless;
    },
  };
}

function selectedBy(root: RootPlan, variables: Variables): SelectedField {
  const shape = root.selection.select(variables);
  const selected = shape.kind === "json" || shape.kind === "nodes" ? shape.selected : undefined;
  if (!selected) throw shapeFault(root);
  return selected;
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
