// Answers one root query: its own snapshot, its plan level by level, its text. What fails here fails this root field alone.

import type { RootAnswer } from "../contracts/plugin.ts";
import { and, type Compare, type Predicate } from "../contracts/predicate.ts";
import type { MaybePromise, Uid, Value } from "../contracts/values.ts";
import { QuernError } from "../errors.ts";
import type { Execution, RootResult } from "../execution.ts";
import { andThen, isPromise } from "../maybe-promise.ts";
import type { NodeType } from "../model/model.ts";
import { operandOf } from "../plan/operands.ts";
import type { RootPlan } from "../plan/plan.ts";
import type { Level, OutputNullability, RootShape, Variables } from "../plan/selection.ts";
import { parseUid } from "../values/uid.ts";
import { withAllPowers } from "./all-powers.ts";
import { type BindRequest, type BoundLevel, bindLevel, bindTarget } from "./bind.ts";
import { Completion, writeMeasures } from "./complete.ts";
import { completeJson } from "./complete-json.ts";
import { findRows, type Reading, type Rows, readBelow } from "./read-level.ts";
import { executionFailure, listForItem, rewriteFailure, unparsableId } from "./wording.ts";
import { writeAhead } from "./write-ahead.ts";

/** Reads and completes `root` on a snapshot of its own. Fails with the compatible wording; the caller turns that into an entry of `errors`. */
export function runQueryRoot(root: RootPlan, execution: Execution): MaybePromise<RootResult> {
  const { storage, deployment, budget } = execution;
  const snapshot = withAllPowers(storage.snapshot({ version: deployment.version, budget }), {
    supports: storage.supports,
    layout: deployment.layout,
  });
  let result: MaybePromise<RootResult>;
  try {
    result = answer(root, { snapshot, execution });
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
  const { execution, snapshot } = reading;
  const shape = root.selection.select(execution.variables);
  switch (operation.kind) {
    case "get":
      return getNode({ root, node: operation.node, shape }, reading);
    case "query":
      return queryNodes({ root, node: operation.node, shape }, reading);
    case "aggregate":
      return aggregateNodes({ root, node: operation.node, shape }, reading);
    case "plugin": {
      const args = root.arguments(execution.variables);
      const given = operation.root.run({ arguments: args, snapshot, request: execution.request });
      return andThen(given, (value) => readAnswer(root, value, reading));
    }
    default:
      throw new QuernError("INTERNAL", `${root.field} is no query.`);
  }
}

interface NodeRoot {
  readonly root: RootPlan;
  readonly node: NodeType;
  readonly shape: RootShape;
}

function queryNodes({ root, shape }: NodeRoot, reading: Reading): MaybePromise<RootResult> {
  if (shape.kind !== "nodes") throw shapeFault(root);
  const rows = andThen(bindLevel(shape.level, { execution: reading.execution, purpose: "query" }), (bound) => findRows(bound, reading));
  return andThen(rows, (found) => completeRows(root, found, { type: shape.type, execution: reading.execution }));
}

interface Completing {
  readonly type: OutputNullability;
  readonly execution: Execution;
}

function completeRows(root: RootPlan, rows: Rows, { type, execution }: Completing): MaybePromise<RootResult> {
  return andThen(writeAhead(rows, execution.budget), (texts) => {
    const completion = new Completion(root.key);
    const json = completion.root(rows, type, texts) ?? "null";
    return { json, errors: completion.errors };
  });
}

// ---- get --------------------------------------------------------------------------------------------------------------

function getNode({ root, node, shape }: NodeRoot, reading: Reading): MaybePromise<RootResult> {
  if (shape.kind !== "nodes") throw shapeFault(root);
  const args = root.arguments(reading.execution.variables);
  const identity = identityOf(root, node, args, reading.execution);
  if (!identity) return { json: "null", errors: [] };
  const rows = andThen(bindLevel(shape.level, { execution: reading.execution, purpose: "query" }), (bound) =>
    readIdentified(bound, identity, reading),
  );
  return andThen(rows, (found) => {
    if (found.batch.uids.length <= 1) return completeRows(root, found, { type: shape.type, execution: reading.execution });
    return { json: "null", errors: [{ message: listForItem, locations: [root.location], path: [root.key] }] };
  });
}

interface Identity {
  readonly uid: Uid | undefined;
  readonly keys: readonly Compare[];
}

/** Undefined when nothing names the node: that is nobody, without an error. */
function identityOf(root: RootPlan, node: NodeType, args: Variables, { deployment }: Execution): Identity | undefined {
  let uid: Uid | undefined;
  const keys: Compare[] = [];
  for (const [name, value] of Object.entries(args)) {
    const field = node.fields.get(name);
    if (field?.role === "id" || (!field && name === "id")) uid = uidArgument(root, String(value));
    if (field?.role !== "value") continue;
    keys.push({ kind: "compare", field: field.stored, op: "eq", operands: [operandOf(field, value as Value, deployment.hooks)] });
  }
  return uid === undefined && keys.length === 0 ? undefined : { uid, keys };
}

function uidArgument(root: RootPlan, text: string): Uid {
  const uid = parseUid(text);
  if (uid !== undefined) return uid;
  throw new QuernError("VALUE_INVALID", rewriteFailure(root.key, unparsableId(text, root.field)), { locations: [root.location], path: [root.key] });
}

/** A node that its id alone names is loaded without a search. */
function readIdentified(bound: BoundLevel, { uid, keys }: Identity, reading: Reading): MaybePromise<Rows> {
  if (uid === 0) return findRows({ ...bound, where: { kind: "none" } }, reading);
  if (uid !== undefined && keys.length === 0 && bound.where.kind === "all" && bound.types.length > 0) {
    const loaded = reading.snapshot.load({ uids: [uid], types: bound.types, fields: bound.columns });
    return andThen(loaded, (batch) => readBelow(bound, batch, reading));
  }
  const named: readonly Predicate[] = uid === undefined ? keys : [{ kind: "uids", uids: [uid] }, ...keys];
  return findRows({ ...bound, where: and(...named, bound.where), page: { first: 2 } }, reading);
}

// ---- aggregate --------------------------------------------------------------------------------------------------------

function aggregateNodes({ root, node, shape }: NodeRoot, reading: Reading): MaybePromise<RootResult> {
  if (shape.kind !== "measures") throw shapeFault(root);
  const { execution, snapshot } = reading;
  const filter = root.arguments(execution.variables).filter;
  const bound = bindTarget({ target: node, types: node.members, filter, purpose: "query" }, execution);
  return andThen(bound, ({ types, where }) => {
    if (types.length === 0) return { json: "null", errors: [] };
    const measured = snapshot.aggregate({ over: { types, where }, measures: shape.measures.measures });
    return andThen(measured, ([row]) => ({ json: writeMeasures(row ?? [], shape.measures), errors: [] }));
  });
}

// ---- plugins ----------------------------------------------------------------------------------------------------------

/** What a plugin's root field gave: nodes are read on from, as far as the caller may see them; JSON is cut to the selection. */
export function readAnswer(root: RootPlan, value: RootAnswer, reading: Reading): MaybePromise<RootResult> {
  const shape = root.selection.select(reading.execution.variables);
  if ("json" in value) return shape.kind === "json" ? completeJson(root.key, shape.json, value.json) : { json: "null", errors: [] };
  const { operation } = root;
  if (shape.kind !== "nodes" || operation.kind !== "plugin") throw shapeFault(root);
  const request: BindRequest = { execution: reading.execution, purpose: operation.root.purpose ?? "query" };
  return andThen(readGiven(shape.level, value.nodes, { request, reading }), (rows) =>
    completeRows(root, rows, { type: shape.type, execution: reading.execution }),
  );
}

interface GivenRequest {
  readonly request: BindRequest;
  readonly reading: Reading;
}

/** The nodes in the order given. Whoever may not be seen, or does not pass the field's own filter, is left out. */
function readGiven(level: Level, nodes: readonly Uid[], { request, reading }: GivenRequest): MaybePromise<Rows> {
  return andThen(bindLevel(level, request), (bound) => {
    if (nodes.length === 0 || bound.types.length === 0) return findRows({ ...bound, where: { kind: "none" } }, reading);
    const load = (uids: readonly Uid[]): MaybePromise<Rows> => {
      const loaded = reading.snapshot.load({ uids, types: bound.types, fields: bound.columns });
      return andThen(loaded, (batch) => readBelow(bound, batch, reading));
    };
    if (bound.where.kind === "all") return load(nodes);
    const uids = [...new Set(nodes)].sort((a, b) => a - b);
    const visible = reading.snapshot.find({ types: bound.types, where: and({ kind: "uids", uids }, bound.where), fields: [] });
    return andThen(visible, (batch) => {
      const seen = new Set(batch.uids);
      return load(nodes.filter((uid) => seen.has(uid)));
    });
  });
}

function shapeFault(root: RootPlan): QuernError {
  return new QuernError("INTERNAL", `${root.field} was planned as another kind of field.`);
}
