// Whether a node that was read matches a filter, and how two nodes are ordered: for conditions and orders that no index answers.

import { at, isObject, type Json, type JsonObject, listOf, objectsIn, textOf } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "./api-model.ts";
import { planOf, wholeNumber } from "./filter-plan.ts";
import { type Condition, everything, type Filter, type Group, isGroup, type LinkCondition, targetOf } from "./filter-tree.ts";
import { linkOf } from "./links.ts";
import { fieldSelection, keyName, keyOf } from "./nodes.ts";
import { countOperators, operatorOf } from "./operators.ts";
import { parseValue } from "./values.ts";

export type Test = (row: JsonObject) => boolean;

/** The nodes that match conditions which only an index can answer, such as those on words, by `keyName`. */
export type IndexAnswers = ReadonlyMap<Condition, ReadonlySet<string>>;

/** What the indexes leave to test: in a group of which all must hold, what they answer exactly has gone. */
export function residueOf(model: ApiModel, type: NodeType, filter: Group): Group {
  if (filter.kind === "any") return planOf(model, type, filter).isExact ? everything : filter;
  const left = filter.of.filter((each) => !planOf(model, type, each).isExact);
  return { kind: "all", of: left.map((each) => (isGroup(each) ? residueOf(model, type, each) : each)) };
}

export interface IndexOnly {
  readonly type: NodeType;
  readonly condition: Condition;
}

/** The conditions of a filter that only an index can answer. */
export function indexOnlyIn(model: ApiModel, type: NodeType, filter: Filter): readonly IndexOnly[] {
  if (isGroup(filter)) return filter.of.flatMap((each) => indexOnlyIn(model, type, each));
  if (filter.kind === "value") return isTestable(filter) ? [] : [{ type, condition: filter }];
  const target = targetOf(model, type, filter.field);
  return target === undefined ? [] : indexOnlyIn(model, target, filter.where);
}

function isTestable({ operator }: Condition): boolean {
  return Object.hasOwn(countOperators, operator) || Object.hasOwn(relations, operator) || tested.has(operator);
}

const tested: ReadonlySet<string> = new Set(["present", "empty", "contains", "startsWith", "regexp", "in", ""]);

/** Throws with the field whose value is not valid. */
export function testOf(model: ApiModel, type: NodeType, filter: Filter, answers: IndexAnswers = new Map()): Test {
  if (isGroup(filter)) {
    const tests = filter.of.map((each) => testOf(model, type, each, answers));
    return filter.kind === "all" || tests.length === 0 ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
  }
  if (filter.kind !== "value") return linkTest(model, type, filter, answers);
  return isTestable(filter) ? valueTest(type, filter) : answeredTest(type, filter, answers);
}

function answeredTest(type: NodeType, condition: Condition, answers: IndexAnswers): Test {
  if (type.keys.length === 0) throw new Error(`${condition.field}: ${sign(type, condition)} cannot stand here: nothing identifies ${type.name}.`);
  const matching = answers.get(condition);
  return (row) => {
    const key = keyOf(type, row);
    return key !== undefined && (matching?.has(keyName(key)) ?? false);
  };
}

function sign(type: NodeType, { field, operator }: Condition): string {
  return operatorOf(type, field, operator)?.sign ?? operator;
}

function linkTest(model: ApiModel, type: NodeType, { kind, field, where }: LinkCondition, answers: IndexAnswers): Test {
  const target = targetOf(model, type, field);
  if (target === undefined) return () => false;
  const test = testOf(model, target, where, answers);
  const linked = (row: JsonObject) => (isObject(row[field]) ? [row[field]] : objectsIn(row[field]));
  return kind === "some" ? (row) => linked(row).some(test) : (row) => !linked(row).some(test);
}

function valueTest(type: NodeType, condition: Condition): Test {
  const field = type.fields.find(({ name }) => name === condition.field);
  if (field === undefined) return () => false;
  try {
    return testOfValue(field, condition);
  } catch (thrown) {
    throw new Error(`${condition.field}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function testOfValue(field: Field, { operator, text }: Condition): Test {
  const values = (row: JsonObject) => (field.isList ? listOf(row[field.name]) : [row[field.name]]).filter(isPresent);
  const count = countOperators[operator];
  if (count !== undefined) {
    const wanted = wholeNumber(text);
    return (row) => compares(count, countIn(field, row) - wanted);
  }
  if (operator === "present") return (row) => isFilled(field, row);
  if (operator === "empty") return (row) => !isFilled(field, row);
  const holds = valueHolds(field, operator, text);
  return (row) => values(row).some(holds);
}

function valueHolds(field: Field, operator: string, text: string): (value: Json) => boolean {
  const folded = text.toLowerCase();
  if (operator === "contains") return (value) => textOf(value).toLowerCase().includes(folded);
  if (operator === "startsWith") return (value) => textOf(value).toLowerCase().startsWith(folded);
  if (operator === "regexp") return matches(text);
  if (operator === "in" || operator === "") {
    const operands = text.split(",").map((each) => parseValue({ ...field, isList: false }, each.trim()));
    return (value) => operands.some((operand) => compareValues(field, value, operand) === 0);
  }
  const operand = parseValue({ ...field, isList: false }, text);
  return (value) => compares(operator, compareValues(field, value, operand));
}

/** `/text/i`, or the text alone. */
function matches(text: string): (value: Json) => boolean {
  const [, body = text, flags = ""] = /^\/(.*)\/(i?)$/s.exec(text) ?? [];
  const expression = new RegExp(body, `u${flags}`);
  return (value) => expression.test(textOf(value));
}

const relations: Readonly<Record<string, (difference: number) => boolean>> = {
  eq: (difference) => difference === 0,
  lt: (difference) => difference < 0,
  le: (difference) => difference <= 0,
  gt: (difference) => difference > 0,
  ge: (difference) => difference >= 0,
};

function compares(relation: string, difference: number): boolean {
  return relations[relation]?.(difference) ?? false;
}

function isPresent(value: Json | undefined): value is Json {
  return value !== null && value !== undefined;
}

function isFilled(field: Field, row: JsonObject): boolean {
  return field.isList ? countIn(field, row) > 0 : isPresent(row[field.name]);
}

function countIn({ name, aggregate }: Field, row: JsonObject): number {
  const counted = aggregate === undefined ? undefined : at(row[aggregate], "count");
  return counted === undefined ? listOf(row[name]).length : Number(counted);
}

/** Negative: `one` comes first. */
export function compareValues({ named }: Pick<Field, "named">, one: Json, other: Json): number {
  const [a, b] = named === "DateTime" ? [Date.parse(textOf(one)), Date.parse(textOf(other))] : [comparable(one), comparable(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparable(value: Json): string | number | bigint {
  return typeof value === "number" || typeof value === "bigint" || typeof value === "string" ? value : textOf(value);
}

/** What the order of a field compares: values, the labels of single links, the numbers of lists. Null: there is none, which comes last. */
export function orderValue(model: ApiModel, field: Field, row: JsonObject): Json {
  if (field.isList) return countIn(field, row);
  const value = row[field.name];
  if (field.kind === "link" && isObject(value)) return linkOf(model, field, value)?.label ?? null;
  return value ?? null;
}

/** The fields of a node that its filter asks for. */
export function selectionOf(model: ApiModel, type: NodeType, filter: Filter): readonly string[] {
  if (isGroup(filter)) return filter.of.flatMap((each) => selectionOf(model, type, each));
  const field = type.fields.find(({ name }) => name === filter.field);
  if (field === undefined) return [];
  if (filter.kind === "value") return isTestable(filter) ? [fieldSelection(model, field)] : type.keys.map(({ name }) => name);
  const target = targetOf(model, type, filter.field);
  return target === undefined ? [] : [`${field.name} { __typename ${selectionOf(model, target, filter.where).join(" ")} }`];
}

/** What is wrong with a filter; empty: nothing. */
export function filterProblem(model: ApiModel, type: NodeType, filter: Filter): string {
  try {
    if (!planOf(model, type, filter).isExact) testOf(model, type, isGroup(filter) ? residueOf(model, type, filter) : filter);
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
