// Turns what a plugin's root field returns into an answer: nodes are read below, JSON is cut to the selection.

import { isNonNullType } from "graphql";
import type { AnswerError, GivenNodes, LookupAnswer, RootAnswer } from "../../contracts/plugin/root-answer.ts";
import { and, none } from "../../contracts/predicate.ts";
import type { Json, Uid } from "../../ground/values/value.ts";
import { type Work, wait } from "../../ground/work.ts";
import type { BoundLevel, GivenValues, Level } from "../level/level.ts";
import type { Rows } from "../level/rows.ts";
import type { JsonSelection } from "../level/shapes.ts";
import type { FailedField, ReadContext, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { completeValue } from "../write/complete-json.ts";
import { listForItem } from "../write/error-messages.ts";
import { pluginError } from "../write/plugin-error.ts";
import { type BindRequest, bindLevel } from "./bind.ts";
import { lookUpNodes } from "./look-up-nodes.ts";
import { findRows, readBelow } from "./read-level.ts";
import { completeRows, logMisfit, shapeFault } from "./root-parts.ts";

/** Completes `value`. Nodes that the caller may not see are left out. */
export function* readAnswer(root: RootPlan, value: RootAnswer, context: ReadContext): Work<RootResult> {
  const shape = root.selection.select(context.variables);
  const { operation } = root;
  if ("json" in value) {
    if (shape.kind !== "json") return { json: "null", errors: [] };
    context.budget.show(1);
    return yield* completeAnswer(root, shape.json, { value, context });
  }
  if ("lookups" in value) return yield* readLookups(root, value, context);
  if (shape.kind !== "nodes" || operation.kind !== "plugin") throw shapeFault(root);
  const { purpose = "query" } = operation.root;
  const rows = yield* readGiven(shape.level, value, { purpose, context });
  const result = yield* completeRows(root, rows, { type: shape.type, context });
  const { errors = [] } = value;
  return errors.length === 0 ? result : withErrors(root, result, errors);
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
function* completeAnswer({ key, location, operation }: RootPlan, selection: JsonSelection, { value, context }: Given): Work<RootResult> {
  const reported = (value.errors ?? []).map((error) => pluginError(error, location));
  const misfits: FailedField[] = [];
  // A plugin that says why there is no value has said it for a non-null field too.
  const isExplained = reported.length > 0 && value.json === null;
  const place = { selection, errors: misfits, budget: context.budget };
  const text = isExplained && isNonNullType(selection.type) ? undefined : yield* wait(completeValue(place, value.json, [key]));
  const [misfit] = misfits;
  if (misfit && operation.kind === "plugin") logMisfit(operation.root.run, misfit, context);
  const errors = [...reported, ...misfits];
  return {
    json: text ?? "null",
    errors,
    ...(text === undefined && { propagates: true }),
    ...(errors.length > 0 && operation.kind === "plugin" && operation.root.operation === "mutation" && { failed: true }),
  };
}

/** One item for each lookup. */
function* readLookups(root: RootPlan, { lookups, errors = [] }: LookupAnswer, context: ReadContext): Work<RootResult> {
  const shape = root.selection.select(context.variables);
  if (shape.kind !== "nodes" || root.operation.kind !== "plugin") throw shapeFault(root);
  const { purpose = "query" } = root.operation.root;
  const bound = yield* wait(bindLevel(shape.level, { context, purpose }));
  const { rows, places, ambiguous } = yield* lookUpNodes(bound, lookups, context);
  const result = yield* completeRows(root, rows, { type: shape.type, context, places });
  const several = ambiguous.map((place) => ({ ...listForItem, locations: [root.location], path: [root.key, place] }));
  return withErrors(root, { ...result, errors: [...several, ...result.errors] }, errors);
}

interface GivenRequest extends BindRequest {
  readonly context: ReadContext;
}

/** The nodes in the order given, without those that the caller may not see or that fail the field's own filter. */
function* readGiven(level: Level, answer: GivenNodes, request: GivenRequest): Work<Rows> {
  const { context } = request;
  const bound = withGiven(yield* wait(bindLevel(level, request)), answer);
  const { types, where } = bound;
  if (answer.nodes.length === 0 || types.length === 0) return yield* findRows(bound.with({ where: none }), context);
  const nodes = where.kind === "all" ? answer.nodes : yield* visibleOf(answer.nodes, bound, context);
  const batch = yield* wait(context.snapshot.load({ uids: nodes, types, fields: bound.level.columns }));
  return yield* readBelow(bound, batch, context);
}

function* visibleOf(nodes: readonly Uid[], { types, where }: BoundLevel, { snapshot }: ReadContext): Work<readonly Uid[]> {
  const uids = [...new Set(nodes)].sort((a, b) => a - b);
  const visible = yield* wait(snapshot.find({ types, where: and({ kind: "uids", uids }, where), fields: [] }));
  const seen = new Set(visible.uids);
  return nodes.filter((uid) => seen.has(uid));
}

/** The level with the values that came with its nodes, and without nodes that would disclose a hidden field. */
function withGiven(bound: BoundLevel, { nodes, discloses, values }: GivenNodes): BoundLevel {
  const mask = discloses && bound.masks?.get(discloses.stored);
  const where = mask ? and(bound.where, mask.visible) : bound.where;
  return bound.with({ where, given: values && givenValues(nodes, values) });
}

function givenValues(nodes: readonly Uid[], values: NonNullable<GivenNodes["values"]>): GivenValues {
  return new Map(
    Object.entries(values).map(([name, each]): [string, ReadonlyMap<Uid, Json>] => [name, new Map(nodes.map((uid, i) => [uid, each[i] ?? null]))]),
  );
}
