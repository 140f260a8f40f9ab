// What of a filter the indexes answer. The rest is asked of each node that is left.

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
import type { ApiModel, NodeType } from "./api-model.ts";
import { type Condition, type Filter, type Group, isGroup, type LinkCondition, targetOf } from "./filter-tree.ts";
import { countOperators, type Operator, operatorOf } from "./operators.ts";
import { parseValue } from "./values.ts";

export interface FilterPlan {
  /** Every node that matches passes it. Undefined: all pass. */
  readonly indexed: JsonObject | undefined;
  /** Whether all that pass match. */
  readonly isExact: boolean;
}

/** Throws with the field whose value is not valid. */
export function planOf(model: ApiModel, type: NodeType, filter: Filter): FilterPlan {
  if (isGroup(filter)) return groupPlan(model, type, filter);
  return filter.kind === "value" ? valuePlan(type, filter) : linkPlan(model, type, filter);
}

const nothingIndexed: FilterPlan = { indexed: undefined, isExact: false };

function groupPlan(model: ApiModel, type: NodeType, { kind, of }: Group): FilterPlan {
  const plans = of.map((each) => planOf(model, type, each));
  const indexed = plans.flatMap((plan) => (plan.indexed === undefined ? [] : [plan.indexed]));
  const [first] = indexed;
  const isExact = plans.every((plan) => plan.isExact);
  if (first === undefined || (kind === "any" && indexed.length < plans.length)) return { indexed: undefined, isExact: isExact && plans.length === 0 };
  return { indexed: indexed.length === 1 ? first : { [kind === "all" ? "and" : "or"]: indexed }, isExact };
}

function valuePlan(type: NodeType, { field, operator: name, text }: Condition): FilterPlan {
  const operator = operatorOf(type, field, name);
  if (operator?.input === undefined) return nothingIndexed;
  try {
    return { indexed: conditionOf(field, operator, text), isExact: true };
  } catch (thrown) {
    throw new Error(`${field}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function conditionOf(field: string, { name, input }: Operator, text: string): JsonObject {
  if (name === "present") return { has: [field] };
  if (name === "empty") return { not: { has: [field] } };
  const count = countOperators[name];
  const value = input === undefined ? null : count === undefined ? operandOf(input, text) : wholeNumber(text);
  if (count !== undefined) return { [field]: { count: { [count]: value } } };
  return { [field]: name === "" ? value : { [name]: value } };
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text.trim())) throw new Error("expected a whole number.");
  return Number(text);
}

function linkPlan(model: ApiModel, type: NodeType, { kind, field, where }: LinkCondition): FilterPlan {
  const target = targetOf(model, type, field);
  const input = type.filter?.getFields()[field]?.type;
  if (target === undefined || input === undefined) return nothingIndexed;
  const { indexed = {}, isExact } = planOf(model, target, where);
  if (kind === "none" && !isExact) return nothingIndexed;
  const isMany = type.fields.find(({ name }) => name === field)?.isList ?? false;
  if (isMany) return { indexed: { [field]: { [kind]: indexed } }, isExact };
  return { indexed: kind === "some" ? { [field]: indexed } : { not: { [field]: indexed } }, isExact };
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

/** What an empty field for the operand shows. */
export function operandHint({ input, takes }: Operator): string {
  if (takes === "values" || input === undefined) return takes === "values" ? "a, b, c" : takes === "number" ? "3" : "";
  const named = getNamedType(input);
  if (isEnumType(named))
    return named
      .getValues()
      .map(({ name }) => name)
      .join(", ");
  if (!isInputObjectType(named)) return named.name === "DateTime" ? "2024-05-01" : "";
  return named.getFields().min ? "1 .. 5" : takes === "number" ? "3" : "JSON";
}
