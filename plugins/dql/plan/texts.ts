// The arguments of functions as texts.

import { textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Argument, Call } from "../language/syntax.ts";
import { textOfValue } from "../schema/values.ts";
import type { ConditionContext } from "./context.ts";

/** All arguments in order: lists are flattened, and `val(v)` stands for the distinct values of the variable. */
export function argumentTexts(call: Call, context: ConditionContext): readonly string[] {
  return call.arguments.flatMap((item) => textsOf(item, context));
}

function textsOf(item: Argument, context: ConditionContext): readonly string[] {
  switch (item.kind) {
    case "list":
      return item.items.flatMap((each) => textsOf(each, context));
    case "val":
      return valuesOf(item.variable, context);
    case "uids":
      return [];
    default:
      return [textOf(item, context.inputs)];
  }
}

function valuesOf(name: string, { variables }: ConditionContext): readonly string[] {
  const variable = variables.get(name);
  if (variable?.kind === "values") return [...new Set([...variable.values.values()].map(textOfValue))];
  return variable?.kind === "single" && variable.value !== undefined ? [textOfValue(variable.value)] : [];
}

/** Comparisons take one value, `eq` any number, `between` two. */
export function checkCount(operator: string, texts: readonly string[]): void {
  if (operator === "eq") {
    if (texts.length === 0) throw refusal("eq expects atleast 1 argument.");
  } else if (operator === "between") {
    if (texts.length !== 2) throw refusal("between expects exactly 2 argument.");
  } else if (texts.length !== 1) throw refusal(`${operator} expects only 1 argument. Got: [${texts.join(" ")}]`);
}
