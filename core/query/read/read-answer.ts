// The root fields of plugins: nodes to read on from, or JSON to cut to the selection.

import type { RootAnswer } from "../../contracts/plugin.ts";
import { and } from "../../contracts/predicate.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise, Uid } from "../../ground/values/value.ts";
import type { RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import type { Level } from "../plan/selection.ts";
import { type BindRequest, bindLevel } from "./bind.ts";
import { completeJson } from "./complete-json.ts";
import { findRows, type Reading, type Rows, readBelow } from "./read-level.ts";
import { completeRows, logMisfit, shapeFault } from "./root-parts.ts";

/** What a plugin's root field gave: nodes are read on from, as far as the caller may see them; JSON is cut to the selection. */
export function readAnswer(root: RootPlan, value: RootAnswer, reading: Reading): MaybePromise<RootResult> {
  const shape = root.selection.select(reading.context.variables);
  const { operation } = root;
  if ("json" in value) {
    if (shape.kind !== "json") return { json: "null", errors: [] };
    const result = completeJson(root.key, shape.json, value.json);
    const [error] = result.errors;
    if (error && operation.kind === "plugin") logMisfit(operation.root.run, error, reading.context);
    return result;
  }
  if (shape.kind !== "nodes" || operation.kind !== "plugin") throw shapeFault(root);
  const request: BindRequest = { context: reading.context, purpose: operation.root.purpose ?? "query" };
  return andThen(readGiven(shape.level, value.nodes, { request, reading }), (rows) =>
    completeRows(root, rows, { type: shape.type, context: reading.context }),
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
