// What all kinds of root queries share: their parts, and the completion of rows.

import type { NodeType } from "../../contracts/model.ts";
import type { StepRows } from "../../contracts/plugin/level-step.ts";
import { QuernError } from "../../ground/errors.ts";
import { placeOf } from "../../ground/plugin-fault.ts";
import { type Work, wait } from "../../ground/work.ts";
import type { Rows } from "../level/rows.ts";
import type { RootShape } from "../level/selection.ts";
import type { OutputNullability } from "../level/shapes.ts";
import type { FailedField, ReadContext, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { Completion } from "./complete.ts";
import { isLong, writeRoot } from "./serialize-in-slices.ts";

export interface NodeRoot {
  readonly root: RootPlan;
  readonly node: NodeType;
  readonly shape: RootShape;
}

interface Completing {
  readonly type: OutputNullability;
  readonly context: Pick<ReadContext, "budget" | "log" | "request" | "aside">;
  /** Of a list: the row of each item, -1 for null. By default every row once. */
  readonly places?: readonly number[];
}

export function* completeRows(root: RootPlan, rows: Rows, { type, context, places }: Completing): Work<RootResult> {
  if (context.aside.waits) yield* wait(context.aside.settle());
  const completion = new Completion(root.key, context.budget);
  const written = { rows, type, places, budget: context.budget };
  return completed(isLong(written) ? yield* writeRoot(completion, written) : completion.root(rows, { type, places }), completion, context);
}

export function* completeStep(root: RootPlan, rows: StepRows, context: Completing["context"]): Work<RootResult> {
  if (context.aside.waits) yield* wait(context.aside.settle());
  const completion = new Completion(root.key, context.budget);
  return completed(completion.step(rows), completion, context);
}

function completed(json: RootResult["json"] | undefined, completion: Completion, context: Completing["context"]): RootResult {
  logMisfits(completion, context);
  const errors = withReported(completion, context);
  return json === undefined ? { json: "null", errors, propagates: true } : { json, errors };
}

/** The errors of a finished completion, and before them those of plugins that belong to no value. */
export function withReported({ errors }: Completion, { aside }: Pick<ReadContext, "aside">): readonly FailedField[] {
  return aside.errors.length === 0 ? errors : [...aside.errors, ...errors];
}

export function logMisfits({ misfits }: Completion, context: Pick<ReadContext, "log" | "request">): void {
  for (const [computed, error] of misfits) logMisfit(computed.compute, error, context);
}

/** The client gets the error with its path; the log names the plugin whose value does not fit. */
export function logMisfit(hook: object, { message, path }: FailedField, { log, request }: Pick<ReadContext, "log" | "request">): void {
  const place = placeOf(hook);
  if (!place) return;
  const where = path?.join(".") ?? "";
  log.warn("plugin", `Plugin "${place.plugin}", hook ${place.hook}, gives what cannot be shown at ${where}: ${message}`, {
    requestID: request.id,
    ...place,
  });
}

export function shapeFault(root: RootPlan): QuernError {
  return new QuernError("INTERNAL", `${root.field} was planned as another kind of field.`);
}
