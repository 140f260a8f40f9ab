// Filters of a type, as the generated API offers them: each condition is a field, an operator and a value.

import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from "graphql";
import { type Json, type JsonObject, parseJson } from "../api/json.ts";
import type { NodeType } from "./api-model.ts";
import { parseValue } from "./values.ts";

export interface Condition {
  readonly field: string;
  /** Empty: the field takes the value itself. */
  readonly operator: string;
  readonly text: string;
}

export interface Operator {
  readonly name: string;
  /** How people read it. */
  readonly sign: string;
  readonly type: GraphQLInputType;
}

export interface FilterField {
  readonly name: string;
  readonly operators: readonly Operator[];
}

const connectives: ReadonlySet<string> = new Set(["and", "or", "not"]);
const signs: Readonly<Record<string, string>> = { eq: "=", le: "≤", lt: "<", ge: "≥", gt: ">", in: "is one of", regexp: "matches" };

export function filterFields({ filter }: NodeType): readonly FilterField[] {
  if (filter === undefined) return [];
  return Object.values(filter.getFields())
    .filter(({ name }) => !connectives.has(name))
    .map(({ name, type }) => ({ name, operators: operatorsOf(type) }));
}

function operatorsOf(type: GraphQLInputType): readonly Operator[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || isListType(getNullableType(type)))
    return [{ name: "", sign: isListType(getNullableType(type)) ? "is one of" : "=", type }];
  return Object.values(named.getFields()).map((field) => ({ name: field.name, sign: signs[field.name] ?? field.name, type: field.type }));
}

/** The filter that all conditions make together. Throws with the field whose value is not valid. */
export function filterOfConditions(type: NodeType, conditions: readonly Condition[]): JsonObject | undefined {
  const parts = conditions.map((condition) => partOf(type, condition));
  const [first, ...rest] = parts;
  if (first === undefined) return undefined;
  return rest.length === 0 ? first : { and: parts };
}

function partOf(type: NodeType, { field, operator, text }: Condition): JsonObject {
  const found = filterFields(type)
    .find(({ name }) => name === field)
    ?.operators.find(({ name }) => name === operator);
  if (found === undefined) throw new Error(`${type.name} has no filter ${field} ${operator}.`);
  try {
    const value = operandOf(found.type, text);
    return { [field]: operator === "" ? value : { [operator]: value } };
  } catch (thrown) {
    throw new Error(`${field}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function operandOf(type: GraphQLInputType, text: string): Json {
  const named = getNamedType(type);
  if (isInputObjectType(named)) return objectOf(named, text);
  const values = isEnumType(named) ? named.getValues().map(({ name }) => name) : [];
  const value = parseValue({ kind: "scalar", named: named.name, isList: isListType(getNullableType(type)), values }, text);
  if (value === null) throw new Error("a value is missing.");
  return value;
}

/** A range is written `1 .. 5`; everything else as JSON. */
function objectOf(type: GraphQLInputObjectType, text: string): Json {
  const { min, max } = type.getFields();
  const [, low, high] = /^(.+?)\s*\.\.\s*(.+)$/.exec(text.trim()) ?? [];
  if (min && max && low !== undefined && high !== undefined) return { min: operandOf(min.type, low), max: operandOf(max.type, high) };
  try {
    return parseJson(text);
  } catch {
    throw new Error(min && max ? "expected a range: 1 .. 5" : `expected ${type.name} as JSON.`);
  }
}

export function operandHint(type: GraphQLInputType): string {
  const named = getNamedType(type);
  if (isEnumType(named))
    return named
      .getValues()
      .map(({ name }) => name)
      .join(", ");
  if (!isInputObjectType(named)) return isListType(getNullableType(type)) ? "a, b, c" : named.name === "DateTime" ? "2024-05-01" : "";
  return named.getFields().min ? "1 .. 5" : "JSON";
}
