// Whether `@if(...)` holds. The variables of the query decide; a question about nodes is never true.

import type { Call, Filter } from "../language/syntax.ts";
import type { ConditionContext } from "../plan/context.ts";
import { argumentTexts, checkCount } from "../plan/texts.ts";
import { lengthCondition, singleHolds } from "../plan/value-variable.ts";

export function holds(condition: Filter | undefined, context: ConditionContext): boolean {
  if (condition === undefined) return true;
  switch (condition.kind) {
    case "and":
      return condition.of.every((each) => holds(each, context));
    case "or":
      return condition.of.some((each) => holds(each, context));
    case "not":
      return !holds(condition.of, context);
    case "call":
      return callHolds(condition, context);
  }
}

function callHolds(call: Call, context: ConditionContext): boolean {
  const { subject } = call;
  if (subject.kind === "length") return lengthCondition(call, subject.variable, context).kind === "all";
  if (subject.kind !== "val") return false;
  const texts = argumentTexts(call, context);
  checkCount(call.name, texts);
  return singleHolds(call.name, texts, context.variables.get(subject.variable));
}
