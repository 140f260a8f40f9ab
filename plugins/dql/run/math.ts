// `math(...)` over all nodes of a level at once.

import { parseDateTime, type Work } from "../../../core/plugin.ts";
import { type Inputs, parseFloatText, textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { BinaryOperator, Expression, UnaryOperator } from "../language/syntax.ts";
import { compareDql, isNumeric } from "../plan/value-variable.ts";
import { type DqlKind, type DqlValue, parseInteger } from "../schema/values.ts";

/** One value for all nodes, or a value for each row; undefined where there is none. */
export type Operand =
  | { readonly kind: "constant"; readonly value: DqlValue | undefined; readonly of: DqlKind }
  | { readonly kind: "rows"; readonly values: readonly (DqlValue | undefined)[]; readonly of: DqlKind };

export interface MathContext {
  readonly inputs: Inputs;
  readonly operandOf: (variable: string) => Operand;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Rows that are computed in one step. */
const stepRows = 4_096;

export function* evaluate(expression: Expression, context: MathContext): Work<Operand> {
  switch (expression.kind) {
    case "number":
      return constant(numberOf(expression.text));
    case "parameter":
      return constant(parameterOf(textOf({ kind: "variable", name: expression.name }, context.inputs)));
    case "value":
      return context.operandOf(expression.variable);
    case "unary":
      return yield* mapRows(yield* evaluate(expression.of, context), (value) => unaryValue(expression.operator, value, context));
    case "binary":
      return yield* evaluateBinary(expression.operator, yield* evaluate(expression.left, context), yield* evaluate(expression.right, context));
    case "cond":
      return yield* evaluateCond(expression, context);
  }
}

function constant(value: DqlValue): Operand {
  return { kind: "constant", value, of: typeof value === "boolean" ? "boolean" : Array.isArray(value) ? "vector" : "number" };
}

function numberOf(text: string): DqlValue {
  if (/^[+-]?(\d+|0[xX][0-9a-fA-F]+)$/.test(text)) return parseInteger(text);
  const value = parseFloatText(text);
  if (value === undefined) throw refusal(`Invalid Math expression: ${text} is no number`);
  return value;
}

/** A query variable in math holds a number, a boolean or a vector. */
function parameterOf(text: string): DqlValue {
  if (text === "") throw refusal("No value found in math");
  if (text === "true" || text === "false") return text === "true";
  if (!text.trim().startsWith("[")) return numberOf(text);
  const vector: unknown = JSON.parse(text);
  if (Array.isArray(vector) && vector.every((each) => typeof each === "number")) return vector;
  throw refusal(`Invalid Math expression: ${text.slice(0, 100)} is no vector`);
}

function* mapRows(operand: Operand, change: (value: DqlValue) => DqlValue | undefined): Work<Operand> {
  const changed = (value: DqlValue | undefined) => (value === undefined ? undefined : change(value));
  if (operand.kind === "constant") return { kind: "constant", value: changed(operand.value), of: "number" };
  return { kind: "rows", values: yield* computed(operand.values, changed), of: "number" };
}

type Values = readonly (DqlValue | undefined)[];

/** A value for each row. */
function* computed(values: Values, resultOf: (value: DqlValue | undefined, row: number) => DqlValue | undefined): Work<Values> {
  const found: (DqlValue | undefined)[] = [];
  for (const [row, value] of values.entries()) {
    found.push(resultOf(value, row));
    if (row % stepRows === stepRows - 1) yield;
  }
  yield;
  return found;
}

const comparisons: ReadonlySet<string> = new Set(["<", ">", "<=", ">=", "==", "!="]);

function* evaluateBinary(operator: BinaryOperator, left: Operand, right: Operand): Work<Operand> {
  const isComparison = comparisons.has(operator);
  const of = isComparison ? ("boolean" as const) : ("number" as const);
  const kind = left.of === "dateTime" || right.of === "dateTime" ? ("dateTime" as const) : ("string" as const);
  const apply = (a: DqlValue | undefined, b: DqlValue | undefined): DqlValue | undefined => {
    if (isComparison) return a === undefined || b === undefined ? undefined : compared(operator, compareDql(a, b, kind));
    return arithmetic(operator, a, b);
  };
  if (left.kind === "constant" && right.kind === "constant") return { kind: "constant", value: apply(left.value, right.value), of };
  if (left.kind === "rows" && right.kind === "rows")
    return { kind: "rows", values: yield* computed(left.values, (value, row) => apply(value, right.values[row])), of };
  // A constant is everywhere: a node has a result where the other operand has a value.
  if (left.kind === "rows") return yield* mapTyped(left, of, (value) => apply(value, constantOf(right)));
  return yield* mapTyped(right, of, (value) => apply(constantOf(left), value));
}

function* mapTyped(operand: Operand, of: DqlKind, change: (value: DqlValue) => DqlValue | undefined): Work<Operand> {
  return { ...(yield* mapRows(operand, change)), of };
}

function constantOf(operand: Operand): DqlValue | undefined {
  return operand.kind === "constant" ? operand.value : undefined;
}

function compared(operator: BinaryOperator, order: number): boolean | undefined {
  if (Number.isNaN(order)) return undefined;
  switch (operator) {
    case "<":
      return order < 0;
    case ">":
      return order > 0;
    case "<=":
      return order <= 0;
    case ">=":
      return order >= 0;
    case "==":
      return order === 0;
    default:
      return order !== 0;
  }
}

/** An operand without a value counts as 0 where the other one has a value. */
function arithmetic(operator: BinaryOperator, left: DqlValue | undefined, right: DqlValue | undefined): DqlValue | undefined {
  if (left === undefined && right === undefined) return undefined;
  const [a, b] = [left ?? 0n, right ?? 0n];
  if (isVector(a) || isVector(b)) return vectorArithmetic(operator, a, b);
  if (!isNumeric(a) || !isNumeric(b)) return undefined;
  return typeof a === "bigint" && typeof b === "bigint" ? wholeArithmetic(operator, a, b) : floatArithmetic(operator, Number(a), Number(b));
}

const largest = 2n ** 63n;

function fitting(value: bigint): bigint | undefined {
  return value < largest && value >= -largest ? value : undefined;
}

function wholeArithmetic(operator: BinaryOperator, a: bigint, b: bigint): DqlValue | undefined {
  switch (operator) {
    case "+":
      return fitting(a + b);
    case "-":
      return fitting(a - b);
    case "*":
      return fitting(a * b);
    case "/":
      return b === 0n ? undefined : fitting(a / b);
    case "%":
      return b === 0n ? undefined : a % b;
    case "max":
      return a > b ? a : b;
    case "min":
      return a < b ? a : b;
    default:
      return floatArithmetic(operator, Number(a), Number(b));
  }
}

function floatArithmetic(operator: BinaryOperator, a: number, b: number): number | undefined {
  switch (operator) {
    case "+":
      return clipped(a + b);
    case "-":
      return clipped(a - b);
    case "*":
      return clipped(a * b);
    case "/":
      return b === 0 ? undefined : clipped(a / b);
    case "%":
      return b === 0 ? undefined : clipped(a % b);
    case "max":
      return Math.max(a, b);
    case "min":
      return Math.min(a, b);
    case "pow":
      return a < 0 && !Number.isInteger(b) ? undefined : clipped(a ** b);
    case "logbase":
      return a < 0 || b < 0 ? undefined : clipped(Math.log(a) / Math.log(b));
    default:
      return undefined;
  }
}

/** Infinities become the largest numbers, and what is no number becomes 0. */
function clipped(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

function isVector(value: DqlValue | undefined): value is readonly number[] {
  return Array.isArray(value);
}

function vectorArithmetic(operator: BinaryOperator, a: DqlValue, b: DqlValue): DqlValue | undefined {
  if (isVector(a) && isVector(b)) {
    if (a.length !== b.length) throw refusal("The length of vectors must match");
    if (operator === "dot") return a.reduce((sum, each, i) => sum + each * (b[i] ?? 0), 0);
    return operator === "+" || operator === "-" ? a.map((each, i) => (operator === "+" ? each + (b[i] ?? 0) : each - (b[i] ?? 0))) : undefined;
  }
  if (isVector(a) && isNumeric(b) && (operator === "*" || operator === "/")) {
    const factor = operator === "*" ? Number(b) : 1 / Number(b);
    return Number.isFinite(factor) ? a.map((each) => each * factor) : undefined;
  }
  return isVector(b) && isNumeric(a) && operator === "*" ? b.map((each) => each * Number(a)) : undefined;
}

function unaryValue(operator: UnaryOperator, value: DqlValue, { now }: MathContext): DqlValue | undefined {
  if (operator === "since") {
    const instant = typeof value === "string" ? parseDateTime(value) : undefined;
    return instant && now / 1000 - instant.seconds - instant.nanos / 1e9;
  }
  if (isVector(value)) return operator === "-" ? value.map((each) => -each) : undefined;
  if (!isNumeric(value)) return undefined;
  if (operator === "-") return typeof value === "bigint" ? fitting(-value) : -value;
  if (operator === "floor" || operator === "ceil")
    return typeof value === "bigint" ? value : operator === "floor" ? Math.floor(value) : Math.ceil(value);
  const number = Number(value);
  switch (operator) {
    case "exp":
      return clipped(Math.exp(number));
    case "ln":
      return number < 0 ? undefined : clipped(Math.log(number));
    case "sqrt":
      return number < 0 ? undefined : Math.sqrt(number);
  }
}

function* evaluateCond({ test, yes, no }: Extract<Expression, { kind: "cond" }>, context: MathContext): Work<Operand> {
  const condition = yield* evaluate(test, context);
  if (condition.kind === "constant" && condition.value !== undefined && typeof condition.value !== "boolean")
    throw refusal("First variable of conditional function not a bool value");
  const [then, otherwise] = [yield* evaluate(yes, context), yield* evaluate(no, context)];
  const choose = (value: DqlValue | undefined, row: number): DqlValue | undefined => {
    // A node whose test is no boolean has no value; other nodes keep theirs.
    if (typeof value !== "boolean") return undefined;
    const chosen = value ? then : otherwise;
    return chosen.kind === "constant" ? chosen.value : chosen.values[row];
  };
  const of = then.of === otherwise.of ? then.of : "number";
  if (condition.kind === "rows") return { kind: "rows", values: yield* computed(condition.values, choose), of };
  const rows = [then, otherwise].find((each) => each.kind === "rows");
  if (rows?.kind !== "rows") return { kind: "constant", value: choose(condition.value, 0), of };
  return { kind: "rows", values: yield* computed(rows.values, (_, row) => choose(condition.value, row)), of };
}
