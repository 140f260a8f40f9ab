// The fields of a level that plugins compute: one call for all rows.

import { getNamedType, getNullableType, isLeafType, isListType } from "graphql";
import type { ComputeContext, Parent } from "../../contracts/plugin/computed-field.ts";
import type { AnswerError } from "../../contracts/plugin/root-answer.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { ReadContext, ResponseError } from "../operation-context.ts";
import { givenVariables } from "../plan/given-variables.ts";
import { locationOf } from "../plan/plan-operation.ts";
import type { ComputedMember, ComputedStep } from "../plan/selection.ts";
import { endless, pluginError } from "./aside.ts";
import type { BoundLevel } from "./bind.ts";
import { completeValue, isLong } from "./complete-json.ts";
import { nestedQuery } from "./nested-request.ts";
import type { ComputedColumn, WrittenValue } from "./rows.ts";
import { selects, sourcesOf } from "./sources.ts";

interface Computing {
  readonly bound: BoundLevel;
  readonly batch: Batch;
  readonly keep: (column: ComputedColumn) => void;
}

/** A slow field waits until everything else is read. */
export function readComputed(step: ComputedStep, { bound, batch, keep }: Computing, context: ReadContext): MaybePromise<void> {
  const given = bound.given?.get(step.computed.field.name);
  // Values that came with the nodes replace computed ones.
  if (given) return keep({ values: batch.uids.map((uid) => given.get(uid) ?? null), errors: undefined, written: undefined });
  const work = () =>
    andThen(
      andThen(compute(step, { bound, batch }, context), (column) => writeLong(column, step, { bound, batch, context })),
      keep,
    );
  if (!step.computed.slow) return work();
  context.aside.defer(work);
}

function compute(step: ComputedStep, { bound, batch }: Pick<Computing, "bound" | "batch">, context: ReadContext): MaybePromise<ComputedColumn> {
  const { sourceOf } = sourcesOf(step, batch);
  const needs = step.needs.map((column) => ({ name: bound.columns[column] ?? "", stored: batch.columns[column] ?? [] }));
  const rows: number[] = [];
  const parents: Parent[] = [];
  for (let row = 0; row < batch.uids.length; row++) {
    if (!selects(step, batch, row)) continue;
    const represented = bound.represented?.[row];
    rows.push(row);
    const values = represented
      ? needs.map(({ name, stored }) => (represented.has(name) ? represented.get(name) : stored[row]))
      : needs.map(({ stored }) => stored[row]);
    parents.push({ uid: batch.uids[row] ?? 0, type: batch.types[row] ?? "", values });
  }
  if (parents.length === 0) return { values: batch.uids.map(() => undefined), errors: undefined, written: undefined };
  const args = step.arguments.values(context.variables);
  return andThen(step.computed.compute(parents, args, context.request, new PlaceContext(step, context)), (answer) => {
    const values = "errors" in answer ? answer.values : answer;
    return {
      values: sourceOf ? sourceOf.map((source) => values[source]) : values,
      errors: "errors" in answer && answer.errors.length > 0 ? errorsByRow(answer.errors, { step, rows }, context) : undefined,
      written: undefined,
    };
  });
}

interface ComputedRows extends Pick<Computing, "bound" | "batch"> {
  readonly context: ReadContext;
}

/** Long values are written now, in turns: the objects around them are written in one go. */
function writeLong(column: ComputedColumn, step: ComputedStep, { bound, batch, context }: ComputedRows): MaybePromise<ComputedColumn> {
  if (!column.values.some((value) => typeof value === "object" && value !== null)) return column;
  if (isLeafType(getNamedType(step.selected.type)) && !isListType(getNullableType(step.selected.type))) return column;
  const long = column.values.flatMap((value, row) => (isLong(value) ? [row] : []));
  if (long.length === 0) return column;
  const written = new Map<number, WrittenValue>();
  const place = bound.level.computed.indexOf(step);
  const writeAll = async (): Promise<ComputedColumn> => {
    for (const row of long) {
      const shape = bound.level.shapes.get(batch.types[row] ?? "");
      const member = shape?.members.find((each): each is ComputedMember => each.kind === "computed" && each.computed === place);
      if (!member) continue;
      const errors: ResponseError[] = [];
      const text = await completeValue({ selection: member.json, errors, budget: context.budget }, column.values[row], []);
      written.set(row, { text, errors });
    }
    return { ...column, written };
  };
  return writeAll();
}

/** Asking for the signal makes one. */
class PlaceContext implements ComputeContext {
  readonly snapshot: ComputeContext["snapshot"];
  readonly selection: ComputeContext["selection"];
  readonly #read: ReadContext;

  constructor({ selected: { key, nodes, fragments, parentType, type, schema } }: ComputedStep, read: ReadContext) {
    this.snapshot = read.snapshot;
    this.selection = { key, nodes, fragments, parentType, type, schema, variables: givenVariables(read.variables) };
    this.#read = read;
  }

  readonly execute: ComputeContext["execute"] = (request) => nestedQuery(request, this.#read.operation);

  get signal(): AbortSignal {
    return this.#read.budget.signal ?? endless;
  }
}

interface ComputedPlace {
  readonly step: ComputedStep;
  /** The rows of the parents. */
  readonly rows: readonly number[];
}

/** Errors about no single parent are errors of the root field. */
function errorsByRow(errors: readonly AnswerError[], { step, rows }: ComputedPlace, { aside, rootKey }: ReadContext): ComputedColumn["errors"] {
  const byRow = new Map<number, AnswerError[]>();
  for (const error of errors) {
    const row = error.parent === undefined ? undefined : rows[error.parent];
    if (row === undefined) aside.report(pluginError(error, locationOf(step.selected.nodes[0]), [rootKey]));
    else byRow.set(row, [...(byRow.get(row) ?? []), error]);
  }
  return byRow;
}
