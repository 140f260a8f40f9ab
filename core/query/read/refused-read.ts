// The answer of a root query to a caller that a plugin refused: no data and the reason. A plugin's field that shows no nodes is still answered.

import type { OperationContext, RootResult } from "../operation-context.ts";
import type { RootPlan } from "../plan/plan.ts";
import { rewriteFailure } from "../write/error-messages.ts";

/** Undefined when the field may be answered. */
export function refusedRead(root: RootPlan, { refused, variables }: Pick<OperationContext, "refused" | "variables">): RootResult | undefined {
  if (!refused) return undefined;
  const shape = root.selection.select(variables);
  if (shape.kind === "json") return undefined;
  const isList = shape.kind === "nodes" && shape.type.list;
  const { code, message } = refused;
  return { json: isList ? "[]" : "null", errors: [{ code, message, compatible: rewriteFailure(root.key, message), path: [root.key] }] };
}
