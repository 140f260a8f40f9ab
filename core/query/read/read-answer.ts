// Turns what a plugin's root field returns into an answer: nodes are read below, JSON is cut to the selection.

import { isNonNullType } from "graphql";
import type { AnswerError, GivenNodes, LookupAnswer, RootAnswer } from "../../contracts/plugin/root-answer.ts";
import { and } from "../../contracts/predicate.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { Json, MaybePromise, Uid } from "../../ground/values/value.ts";
import type { ReadContext, ResponseError, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import type { JsonSelection, Level } from "../plan/selection.ts";
import { pluginError } from "./aside.ts";
import { type BindRequest, type BoundLevel, bindLevel, type GivenValues } from "./bind.ts";
import { completeValue } from "./complete-json.ts";
import { listForItem } from "./error-messages.ts";
import { lookUpNodes } from "./look-up-nodes.ts";
import { findRows, readBelow } from "./read-level.ts";
import { completeRows, logMisfit, shapeFault } from "./root-parts.ts";
import type { Rows } from "./rows.ts";

/** Completes `value`. Nodes that the caller may not see are left out. */
export function readAnswer(root: RootPlan, value: RootAnswer, context: ReadContext): MaybePromise<RootResult> {
  const shape = root.selection.select(context.variables);
  const { operation } = root;
  if ("json" in value) {
    if (shape.kind !== "json") return { json: "null", errors: [] };
    context.budget.show(1);
    return completeAnswer(root, shape.json, { value, context });
  }
  if ("lookups" in value) return readLookups(root, value, context);
  if (shape.kind !== "nodes" || operation.kind !== "plugin") throw shapeFault(root);
  const { purpose = "query" } = operation.root;
  const completed = andThen(readGiven(shape.level, value, { purpose, context }), (rows) => completeRows(root, rows, { type: shape.type, context }));
  const { errors = [] } = value;
  return errors.length === 0 ? completed : andThen(completed, (result) => withErrors(root, result, errors));
}

/** Errors that the plugin reports come first. A mutation with errors has failed. */
function withErrors({ location, operation }: RootPlan, result: RootResult, reported: readonly AnswerError[]): RootResult {
  const errors = [...reported.map((error) => pluginError(error, location)), ...result.errors];
  const failed = reported.length > 0 && operation.kind === "plugin" && operation.root.operation === "mutation";
  return { ...result, errors, ...(failed && { failed }) };
}

interface Given {
  readonly value: Extract<RootAnswer, { readonly json: unknown }>;
  readonly context: ReadContext;
}

/** Errors that the plugin reports come first. A mutation with errors has failed. */
function completeAnswer({ key, location, operation }: RootPlan, selection: JsonSelection, { value, context }: Given): MaybePromise<RootResult> {
  const reported = (value.errors ?? []).map((error) => pluginError(error, location));
  const misfits: ResponseError[] = [];
  // A plugin that says why there is no value has said it for a non-null field too.
  const isExplained = reported.length > 0 && value.json === null;
  const place = { selection, errors: misfits, budget: context.budget };
  const written = isExplained && isNonNullType(selection.type) ? undefined : completeValue(place, value.json, [key]);
  return andThen(written, (text) => {
    const [misfit] = misfits;
    if (misfit && operation.kind === "plugin") logMisfit(operation.root.run, misfit, context);
    const errors = [...reported, ...misfits];
    return {
      json: text ?? "null",
      errors,
      ...(text === undefined && { propagates: true }),
      ...(errors.length > 0 && operation.kind === "plugin" && operation.root.operation === "mutation" && { failed: true }),
    };
  });
}

/** One item for each lookup. */
function readLookups(root: RootPlan, { lookups, errors = [] }: LookupAnswer, context: ReadContext): MaybePromise<RootResult> {
  const shape = root.selection.select(context.variables);
  if (shape.kind !== "nodes" || root.operation.kind !== "plugin") throw shapeFault(root);
  const { purpose = "query" } = root.operation.root;
  const found = andThen(bindLevel(shape.level, { context, purpose }), (bound) => lookUpNodes(bound, lookups, context));
  return andThen(found, ({ rows, places, ambiguous }) =>
    andThen(completeRows(root, rows, { type: shape.type, context, places }), (result) => {
      const several = ambiguous.map((place) => ({ message: listForItem, locations: [root.location], path: [root.key, place] }));
      return withErrors(root, { ...result, errors: [...several, ...result.errors] }, errors);
    }),
  );
}

interface GivenRequest extends BindRequest {
  readonly context: ReadContext;
}

/** The nodes in the order given, without those that the caller may not see or that fail the field's own filter. */
function readGiven(level: Level, answer: GivenNodes, request: GivenRequest): MaybePromise<Rows> {
  const { context } = request;
  const { nodes } = answer;
  return andThen(bindLevel(level, request), (level) => {
    const bound = withGiven(level, answer);
    if (nodes.length === 0 || bound.types.length === 0) return findRows({ ...bound, where: { kind: "none" } }, context);
    const load = (uids: readonly Uid[]): MaybePromise<Rows> => {
      const loaded = context.snapshot.load({ uids, types: bound.types, fields: bound.columns });
      return andThen(loaded, (batch) => readBelow(bound, batch, context));
    };
    if (bound.where.kind === "all") return load(nodes);
    const uids = [...new Set(nodes)].sort((a, b) => a - b);
    const visible = context.snapshot.find({ types: bound.types, where: and({ kind: "uids", uids }, bound.where), fields: [] });
    return andThen(visible, (batch) => {
      const seen = new Set(batch.uids);
      return load(nodes.filter((uid) => seen.has(uid)));
    });
  });
}

/** The level with the values that came with its nodes, and without nodes that would disclose a hidden field. */
function withGiven(bound: BoundLevel, { nodes, discloses, values }: GivenNodes): BoundLevel {
  const mask = discloses && bound.masks?.get(discloses.stored);
  const where = mask ? and(bound.where, mask.visible) : bound.where;
  return { ...bound, where, given: values && givenValues(nodes, values) };
}

function givenValues(nodes: readonly Uid[], values: NonNullable<GivenNodes["values"]>): GivenValues {
  return new Map(
    Object.entries(values).map(([name, each]): [string, ReadonlyMap<Uid, Json>] => [name, new Map(nodes.map((uid, i) => [uid, each[i] ?? null]))]),
  );
}
