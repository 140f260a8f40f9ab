// Answers one root field: opens a snapshot, reads its plan level by level, writes its text. An error fails this root field alone.

import type { RootContext, RootField } from "../../contracts/plugin/root-field.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen, isPromise } from "../../ground/maybe-promise.ts";
import type { CommitToken, MaybePromise } from "../../ground/values/value.ts";
import type { OperationContext, ReadContext, RootResult } from "../operation-context.ts";
import { givenVariables } from "../plan/given-variables.ts";
import type { RootPlan } from "../plan/plan.ts";
import type { SelectedField, Variables } from "../plan/selection.ts";
import { endless } from "./aside.ts";
import { bindConnection, bindGroups, bindLevel, bindTarget } from "./bind.ts";
import { Completion } from "./complete.ts";
import { executionFailure } from "./error-messages.ts";
import { findNearestRows, searchOf } from "./find-nearest.ts";
import { getNode } from "./get-node.ts";
import { measure } from "./masked-measures.ts";
import { nestedRequest } from "./nested-request.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { readAnswer } from "./read-answer.ts";
import { readContext } from "./read-context.ts";
import { findRows, readConnection, readGroups } from "./read-level.ts";
import { completeGroups, completePage, completeRows, type NodeRoot, shapeFault } from "./root-parts.ts";
import { visibleSnapshot } from "./visible-snapshot.ts";

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
      return getNode({ root, node: operation.node, shape }, context);
    case "query":
      return queryNodes({ root, node: operation.node, shape }, context);
    case "connection":
      return pageNodes({ root, node: operation.node, shape }, context);
    case "group":
      return groupNodes({ root, node: operation.node, shape }, context);
    case "aggregate":
      return aggregateNodes({ root, node: operation.node, shape }, context);
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
  const execute: RootContext["execute"] = (request) => {
    const seeing = last === undefined ? context : { ...context, after: last };
    const mayWrite = field.operation === "mutation";
    return nestedRequest(request, { context: seeing, mayWrite, committed: (token) => (last = token) });
  };
  const mayRead = (name: string) => context.permissions?.mayRead(name) ?? true;
  const given = field.run(rootContext(root, read, { execute, mayRead, visible: () => visibleSnapshot(read.snapshot, context, read.budget) }));
  return andThen(given, (value) => {
    if (last === undefined) return readAnswer(root, value, read);
    context.committed?.(last);
    return onSnapshot(root, { ...context, after: last, shared: undefined }, (snapshot) => readAnswer(root, value, { ...read, snapshot }));
  });
}

function rootContext(
  root: RootPlan,
  { snapshot, request, variables, budget, operation }: ReadContext,
  { execute, mayRead, visible }: Pick<RootContext, "execute" | "mayRead" | "visible">,
): RootContext {
  return {
    arguments: root.arguments(variables),
    get sent() {
      return root.sent(operation.given);
    },
    snapshot,
    visible,
    request,
    execute,
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

function queryNodes({ root, shape }: NodeRoot, context: ReadContext): MaybePromise<RootResult> {
  if (shape.kind !== "nodes") throw shapeFault(root);
  const search = searchOf(root, context);
  const rows = andThen(bindLevel(shape.level, { context, purpose: "query" }), (bound) =>
    search ? findNearestRows(bound, search, context) : findRows(bound, context),
  );
  return andThen(rows, (found) => completeRows(root, found, { type: shape.type, context }));
}

function pageNodes({ root, shape }: NodeRoot, context: ReadContext): MaybePromise<RootResult> {
  if (shape.kind !== "connection") throw shapeFault(root);
  const bound = bindConnection(shape.connection, { context, purpose: "query" });
  return andThen(bound, (connection) => andThen(readConnection(connection, { pageOf: [0] }, context), (rows) => completePage(root, rows, context)));
}

function groupNodes({ root, shape }: NodeRoot, context: ReadContext): MaybePromise<RootResult> {
  if (shape.kind !== "groups") throw shapeFault(root);
  const bound = bindGroups(shape.groups, { context, purpose: "query" });
  return andThen(bound, (groups) => andThen(readGroups(groups, { listOf: [0] }, context), (rows) => completeGroups(root, rows, context)));
}

function aggregateNodes({ root, node, shape }: NodeRoot, context: ReadContext): MaybePromise<RootResult> {
  if (shape.kind !== "measures") throw shapeFault(root);
  const { snapshot } = context;
  const filter = root.arguments(context.variables).filter;
  const bound = bindTarget({ target: node, types: node.members, filter, purpose: "query" }, context);
  return andThen(bound, ({ types, where, denied, masks }) => {
    if (denied) return { json: "null", errors: [] };
    // Storage may answer a count from a counter, without reading a node; the budget counts it as one read.
    context.budget.spend(1);
    context.budget.show(1);
    const measured = measure({ over: { types, where }, measures: shape.measures.measures }, masks, snapshot);
    return andThen(measured, ([row]) => {
      const completion = new Completion(root.key, context.budget);
      return { json: completion.measures(row ?? [], shape.measures), errors: completion.errors };
    });
  });
}
