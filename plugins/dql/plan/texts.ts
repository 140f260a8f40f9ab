// The arguments of functions as texts.

import type { TokenIndex, Work } from "../../../core/plugin.ts";
import { textOf } from "../language/inputs.ts";
import { excess, refusal } from "../language/problem.ts";
import type { Argument, Call } from "../language/syntax.ts";
import { textOfValue } from "../schema/values.ts";
import type { ValueLimits } from "../state/document-budget.ts";
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

/** @throws QuernError LIMIT_REACHED for an argument that is too long */
export function assertShort({ name, subject }: Call, texts: readonly string[], limits: ValueLimits | undefined): void {
  const long = limits && texts.find((text) => text.length > limits.maxValueCharacters);
  if (!long || !limits) return;
  const of = subject.kind === "predicate" ? ` of ${subject.predicate.name}` : "";
  throw excess(
    `The text of ${name}${of} has ${long.length} characters; at most ${limits.maxValueCharacters} are allowed (limits.maxValueCharacters). Send less, or in parts.`,
  );
}

/** Tokens between two steps. */
const stepTokens = 64;

/** The distinct tokens of an argument, sorted. @throws QuernError LIMIT_REACHED */
export function* tokensOfText(index: TokenIndex, text: string, limits: ValueLimits | undefined): Work<readonly string[]> {
  const distinct = new Set<string>();
  let left = stepTokens;
  for (const token of index.tokens(text)) {
    distinct.add(token);
    if (--left > 0) continue;
    left = stepTokens;
    yield;
  }
  assertFewTokens(index.field, distinct.size, limits);
  return [...distinct].sort();
}

export function assertFewTokens(field: string, found: number, limits: ValueLimits | undefined): void {
  if (limits && found > limits.maxTokensPerValue)
    throw excess(
      `The text for ${field} has ${found} tokens, such as words; at most ${limits.maxTokensPerValue} are allowed (limits.maxTokensPerValue). Send less, or in parts.`,
    );
}
