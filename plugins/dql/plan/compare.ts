// `eq le lt ge gt between` on predicates that hold values.

import { all, and, type Comparison, type FieldLayout, none, type Predicate, QuernError, type Value, type Work } from "../../../core/plugin.ts";
import { refusal } from "../language/problem.ts";
import type { Call } from "../language/syntax.ts";
import { parseValue } from "../schema/values.ts";
import type { FieldAbout } from "./context.ts";
import { checkCount, tokensOfText } from "./texts.ts";

type Operator = "eq" | "le" | "lt" | "ge" | "gt" | "between";

export function* compareField(call: Call, about: FieldAbout): Work<Predicate> {
  const { field, texts, at } = about;
  const operator = call.name as Operator;
  const comesFromVariable = call.arguments.some((item) => item.kind === "val");
  if (texts.length === 0 && comesFromVariable && about.context.variables.has(variableOf(call))) return none;
  checkCount(operator, texts);
  checkIndex(operator, about);
  if (field.kind === "password") return none;
  if (field.kind === "boolean" && operator !== "eq") return none;
  const operands = texts.map((text) => operandOf(text, { operator, texts, field }));
  const condition = field.kind === "int" ? compareInts(field, operator, operands) : compare(field, operator === "eq" ? "in" : operator, operands);
  return operator === "eq" && at === "root" ? and(yield* tokensOf(about), condition) : condition;
}

function variableOf({ arguments: items }: Call): string {
  return items.flatMap((item) => (item.kind === "val" ? [item.variable] : []))[0] ?? "";
}

/** Dgraph's rules about indexes. They show an author what a query costs. */
function checkIndex(operator: Operator, { field, at, context }: FieldAbout): void {
  const { equality, ordered, tokens } = context.catalog.indexesOf(field.name);
  const isIndexed = equality || ordered || tokens.size > 0;
  if (field.kind === "geo" || isVector(field)) throw refusal(`Attribute ${field.name} does not have a valid tokenizer.`);
  if (at === "root" && !isIndexed) throw refusal(`Predicate ${field.name} is not indexed`);
  if (equality || !isIndexed) {
    if (operator !== "eq" && at === "root" && !ordered) throw refusal(`Attribute:${field.name} does not have proper index for comparison`);
    return;
  }
  if (operator !== "eq") throw refusal(`Attribute:${field.name} does not have proper index for comparison`);
  if (!tokens.has("term") && !tokens.has("fulltext")) throw refusal(`Attribute ${field.name} does not have a valid tokenizer.`);
}

function isVector(field: FieldLayout): boolean {
  return String(field.kind) === "vector";
}

/** The tokens that an equal text has, which find the candidates where no index finds equal texts. */
function* tokensOf({ field, texts, context }: FieldAbout): Work<Predicate> {
  const { equality, tokens } = context.catalog.indexesOf(field.name);
  const index = tokens.get("term") ?? tokens.get("fulltext");
  const [text] = texts;
  if (equality || index?.field !== field.name || index.by !== "tokens" || text === undefined || texts.length > 1) return all;
  const wanted = yield* tokensOfText(index, text, context.work?.values);
  return wanted.length === 0 ? all : { kind: "lookup", index: index.name, match: "all", tokens: wanted };
}

interface Operand {
  readonly operator: Operator;
  readonly texts: readonly string[];
  readonly field: FieldLayout;
}

function operandOf(text: string, { operator, texts, field }: Operand): Value {
  try {
    return parseValue(text, field.kind);
  } catch (thrown) {
    if (!(thrown instanceof QuernError)) throw thrown;
    const args = texts.map((each) => JSON.stringify(each)).join(" ");
    throw refusal(`Got error: ${thrown.message} while running: name:"${operator}" args:${args}`);
  }
}

function compare(field: FieldLayout, op: Comparison, operands: readonly Value[]): Predicate {
  if (op === "in" && operands.length === 1) return { kind: "compare", field: field.name, op: "eq", operands };
  return { kind: "compare", field: field.name, op, operands };
}

const smallest = -(2n ** 31n);
const largest = 2n ** 31n - 1n;

/** Operands are 64-bit integers, the field holds 32 bits: a bound beyond them holds for all values or for none. */
function compareInts(field: FieldLayout, operator: Operator, operands: readonly Value[]): Predicate {
  const whole = operands.filter((each) => typeof each === "bigint");
  const has: Predicate = { kind: "has", field: field.name };
  const [first = 0n, second = 0n] = whole;
  switch (operator) {
    case "eq":
      return compare(field, "in", whole.filter((each) => each >= smallest && each <= largest).map(Number));
    case "between":
      if (first > largest || second < smallest || first > second) return none;
      return compare(field, "between", [Number(first < smallest ? smallest : first), Number(second > largest ? largest : second)]);
    case "lt":
    case "le":
      if (first > largest) return has;
      return first < smallest ? none : compare(field, operator, [Number(first)]);
    case "gt":
    case "ge":
      if (first < smallest) return has;
      return first > largest ? none : compare(field, operator, [Number(first)]);
  }
}
