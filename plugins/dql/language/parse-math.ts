// Parses `math(...)`.

import type { Work } from "../../../core/plugin.ts";
import type { Cursor } from "./cursor.ts";
import { refusal } from "./problem.ts";
import type { BinaryOperator, Expression, UnaryOperator } from "./syntax.ts";

/** How tightly operators bind; those with the same number go from left to right. */
const strength: ReadonlyMap<string, number> = new Map(
  [["<", ">", "<=", ">=", "==", "!="], ["+"], ["-"], ["%"], ["dot"], ["*", "/"]].flatMap((operators, level) =>
    operators.map((operator) => [operator, level + 1] as const),
  ),
);

const unary: ReadonlySet<string> = new Set<UnaryOperator>(["floor", "ceil", "since", "exp", "ln", "sqrt"]);
const binary: ReadonlySet<string> = new Set<BinaryOperator>(["pow", "logbase", "max", "min"]);

/** From after `math` to the closing parenthesis. */
export function* parseMath(cursor: Cursor): Work<Expression> {
  cursor.mode = "math";
  cursor.expectSign("(");
  if (cursor.isSign(")")) throw cursor.fault("Empty () not allowed in math block.");
  const expression = yield* parseOperators(cursor, 1);
  if (cursor.isSign(",")) throw cursor.fault("Comma encountered in math() at unexpected place.");
  cursor.expectSign(")", `Expected one item in value stack, but got ${cursor.shown()}`);
  cursor.mode = "fields";
  return expression;
}

function* parseOperators(cursor: Cursor, least: number): Work<Expression> {
  cursor.descend();
  let left = yield* parseOperand(cursor);
  for (;;) {
    const operator = operatorAhead(cursor);
    const level = strength.get(operator ?? "") ?? 0;
    if (operator === undefined || level < least) break;
    cursor.next();
    cursor.countOperator();
    const right = yield* parseOperators(cursor, level + 1);
    if ((operator === "/" || operator === "%") && right.kind === "number" && Number(right.text) === 0) throw refusal("Division by zero.");
    left = { kind: "binary", operator, left, right };
    if (cursor.endsStep()) yield;
  }
  cursor.ascend();
  return left;
}

function operatorAhead(cursor: Cursor): BinaryOperator | undefined {
  const { kind, text } = cursor.peek();
  const operator = kind === "name" ? text.toLowerCase() : text;
  return (kind === "sign" || kind === "name") && strength.has(operator) ? (operator as BinaryOperator) : undefined;
}

function* parseOperand(cursor: Cursor): Work<Expression> {
  cursor.count();
  if (cursor.takeSign("-")) {
    cursor.descend();
    const of = yield* parseOperand(cursor);
    cursor.ascend();
    return { kind: "unary", operator: "-", of };
  }
  if (cursor.takeSign("(")) {
    if (cursor.isSign(")")) throw cursor.fault("Empty () not allowed in math block.");
    const inner = yield* parseOperators(cursor, 1);
    cursor.expectSign(")", "Expected ) in math");
    return inner;
  }
  const { kind, text } = cursor.peek();
  switch (kind) {
    case "number":
      cursor.next();
      return { kind: "number", text };
    case "variable":
      cursor.next();
      return { kind: "parameter", name: cursor.parameter(text) };
    case "name":
    case "iri":
      return yield* parseNamed(cursor);
    default:
      throw cursor.fault(`Unexpected item while parsing math expression: ${cursor.shown()}`);
  }
}

function* parseNamed(cursor: Cursor): Work<Expression> {
  const at = cursor.place;
  const { text } = cursor.next();
  if (!cursor.takeSign("(")) return { kind: "value", variable: text };
  const name = text.toLowerCase();
  const operands: Expression[] = [];
  if (cursor.isSign(")")) throw cursor.fault("Empty () not allowed in math block.");
  yield* cursor.listInSteps(")", function* () {
    operands.push(yield* parseOperators(cursor, 1));
  });
  const [first, second, third] = operands;
  if (unary.has(name) && first && operands.length === 1) return { kind: "unary", operator: name as UnaryOperator, of: first };
  if (binary.has(name) && first && second && operands.length === 2)
    return { kind: "binary", operator: name as BinaryOperator, left: first, right: second };
  if (name === "cond" && first && second && third && operands.length === 3) return { kind: "cond", test: first, yes: second, no: third };
  if (unary.has(name) || binary.has(name) || name === "cond") {
    const wanted = unary.has(name) ? 1 : name === "cond" ? 3 : 2;
    throw cursor.fault(`Invalid Math expression. ${name} takes ${wanted} operands, but got ${operands.length}`, at);
  }
  throw cursor.fault(`Unknown math function: ${text}`, at);
}
