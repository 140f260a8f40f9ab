// What all kinds of root queries share: their parts, and the way from rows to a result.

import type { MaybePromise } from "../contracts/values.ts";
import { QuernError } from "../errors.ts";
import type { Execution, RootResult } from "../execution.ts";
import { andThen } from "../maybe-promise.ts";
import type { NodeType } from "../model/model.ts";
import type { RootPlan } from "../plan/plan.ts";
import type { OutputNullability, RootShape } from "../plan/selection.ts";
import { Completion } from "./complete.ts";
import type { Rows } from "./read-level.ts";
import { writeAhead } from "./write-ahead.ts";

export interface NodeRoot {
  readonly root: RootPlan;
  readonly node: NodeType;
  readonly shape: RootShape;
}

interface Completing {
  readonly type: OutputNullability;
  readonly execution: Execution;
}

export function completeRows(root: RootPlan, rows: Rows, { type, execution }: Completing): MaybePromise<RootResult> {
  return andThen(writeAhead(rows, execution.budget), (texts) => {
    const completion = new Completion(root.key, execution.budget);
    const json = completion.root(rows, type, texts) ?? "null";
    return { json, errors: completion.errors };
  });
}

export function shapeFault(root: RootPlan): QuernError {
  return new QuernError("INTERNAL", `${root.field} was planned as another kind of field.`);
}
