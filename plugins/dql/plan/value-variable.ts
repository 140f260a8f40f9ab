// Functions on variables: `ge(val(v), 3)` and `eq(len(v), 2)`.

import { all, compareValues, none, type Predicate, QuernError, type Uid } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { Call } from "../language/syntax.ts";
import { type DqlKind, type DqlValue, orderedKinds, parseInteger, parseValue } from "../schema/values.ts";
import type { Variable } from "../state/variables.ts";
import type { ConditionContext } from "./context.ts";
import { argumentTexts, checkCount } from "./texts.ts";

/** The nodes whose value of the variable passes. */
export function valueNodes(call: Call, name: string, context: ConditionContext): readonly Uid[] {
  const texts = argumentTexts(call, context);
  checkCount(call.name, texts);
  const variable = context.variables.get(name);
  if (variable?.kind !== "values") return [];
  const operands = texts.map((text) => operandOf(text, variable.of));
  const passes = comparator(call.name, operands, variable.of);
  return [...variable.values].flatMap(([uid, value]) => (passes(value) ? [uid] : []));
}

function operandOf(text: string, kind: DqlKind): DqlValue {
  try {
    return parseValue(text, kind);
  } catch (thrown) {
    if (thrown instanceof QuernError) throw refusal(`Invalid argment ${text}. Comparing with different type`);
    throw thrown;
  }
}

function comparator(operator: string, operands: readonly DqlValue[], kind: DqlKind): (value: DqlValue) => boolean {
  const [first, second] = operands;
  if (operator !== "eq" && !orderedKinds.has(kind)) return () => false;
  const order = (value: DqlValue, operand: DqlValue | undefined) => (operand === undefined ? Number.NaN : compareDql(value, operand, kind));
  switch (operator) {
    case "eq":
      return (value) => operands.some((operand) => order(value, operand) === 0);
    case "lt":
      return (value) => order(value, first) < 0;
    case "le":
      return (value) => order(value, first) <= 0;
    case "gt":
      return (value) => order(value, first) > 0;
    case "ge":
      return (value) => order(value, first) >= 0;
    case "between":
      return (value) => order(value, first) >= 0 && order(value, second) <= 0;
    default:
      throw refusal(`${operator} does not compare a variable: use eq, le, lt, ge, gt or between`);
  }
}

/** Below 0, 0 or above 0; `NaN` for values without an order. */
export function compareDql(a: DqlValue, b: DqlValue, kind: DqlKind): number {
  if (isNumeric(a) && isNumeric(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (isList(a) || isList(b)) return Number.NaN;
  return compareValues(kind === "dateTime" ? "dateTime" : "string", a, b);
}

export function isNumeric(value: DqlValue | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isList(value: DqlValue): value is readonly number[] {
  return Array.isArray(value);
}

/** Whether the one value of a variable passes, such as an aggregate. Variables of another kind have none. */
export function singleHolds(operator: string, texts: readonly string[], variable: Variable | undefined): boolean {
  if (variable?.kind !== "single" || variable.value === undefined) return false;
  return comparator(
    operator,
    texts.map((text) => operandOf(text, variable.of)),
    variable.of,
  )(variable.value);
}

/** The size of a variable is the same for all nodes. */
export function lengthCondition(call: Call, name: string, context: ConditionContext): Predicate {
  const texts = argumentTexts(call, context);
  checkCount(call.name, texts);
  const variable = context.variables.get(name);
  const length = variable?.kind === "uids" ? variable.uids.length : variable?.kind === "values" ? variable.values.size : 0;
  return comparator(call.name, texts.map(parseInteger), "int")(BigInt(length)) ? all : none;
}
