// The filter of a view: conditions in groups, to any depth, and conditions on what links lead to. Its text is part of the address.

import { isList, type Json, parseJson, writeJson } from "../api/json.ts";
import type { ApiModel, NodeType } from "./api-model.ts";
import { operatorOf } from "./operators.ts";

export interface Condition {
  readonly kind: "value";
  readonly field: string;
  readonly operator: string;
  readonly text: string;
}

/** `some`: a linked node matches. `none`: no linked node does, also where there are none. */
export interface LinkCondition {
  readonly kind: "some" | "none";
  readonly field: string;
  readonly where: Group;
}

export interface Group {
  readonly kind: "all" | "any";
  readonly of: readonly Filter[];
}

export type Filter = Group | Condition | LinkCondition;

export const everything: Group = { kind: "all", of: [] };

export function isGroup(filter: Filter): filter is Group {
  return filter.kind === "all" || filter.kind === "any";
}

/** Deeper ones are no filters that people write. */
const maxDepth = 8;

/** Empty for everything. */
export function textOfFilter(filter: Group): string {
  return filter.of.length === 0 ? "" : writeJson(asJson(filter));
}

function asJson(filter: Filter): Json {
  if (isGroup(filter)) return [filter.kind, ...filter.of.map(asJson)];
  return filter.kind === "value" ? ["value", filter.field, filter.operator, filter.text] : [filter.kind, filter.field, asJson(filter.where)];
}

/** What does not fit the type is left out: the address may be older than the schema. */
export function filterOfText(model: ApiModel, type: NodeType, text: string): Group {
  if (text === "") return everything;
  const found = filterIn(model, type, parsed(text), 0);
  return found !== undefined && isGroup(found) ? found : everything;
}

function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function filterIn(model: ApiModel, type: NodeType, json: Json, depth: number): Filter | undefined {
  if (!isList(json) || depth > maxDepth) return undefined;
  const [kind, ...rest] = json;
  if (kind === "all" || kind === "any") return { kind, of: rest.flatMap((each) => filterIn(model, type, each, depth + 1) ?? []) };
  const [field, second = null, text] = rest;
  if (typeof field !== "string") return undefined;
  if (kind === "value")
    return typeof second === "string" && typeof text === "string" ? conditionIn(type, { field, operator: second, text }) : undefined;
  return kind === "some" || kind === "none" ? linkConditionIn(model, type, { kind, field, where: second, depth }) : undefined;
}

function conditionIn(type: NodeType, condition: Omit<Condition, "kind">): Condition | undefined {
  return operatorOf(type, condition.field, condition.operator) && { kind: "value", ...condition };
}

interface LinkText extends Pick<LinkCondition, "kind" | "field"> {
  readonly where: Json;
  readonly depth: number;
}

function linkConditionIn(model: ApiModel, type: NodeType, { kind, field, where, depth }: LinkText): LinkCondition | undefined {
  const target = targetOf(model, type, field);
  const found = target && filterIn(model, target, where, depth + 1);
  return found !== undefined && isGroup(found) ? { kind, field, where: found } : undefined;
}

/** The type at the other side of a link. Unions have none. */
export function targetOf(model: ApiModel, type: NodeType, field: string): NodeType | undefined {
  const found = type.fields.find(({ name }) => name === field);
  return found?.kind === "link" ? model.type(found.named) : undefined;
}

/** As people read it: `tonnes > 3`, `harbour: (name = Kiel)`. */
export function sentenceOf(model: ApiModel, type: NodeType, filter: Filter): string {
  if (isGroup(filter)) return filter.of.map((each) => bracketed(model, type, each)).join(filter.kind === "all" ? " and " : " or ");
  if (filter.kind === "value") {
    const sign = operatorOf(type, filter.field, filter.operator)?.sign ?? filter.operator;
    return [filter.field, sign, filter.text].filter((each) => each !== "").join(" ");
  }
  const target = targetOf(model, type, filter.field);
  const where = target === undefined || filter.where.of.length === 0 ? "anything" : sentenceOf(model, target, filter.where);
  return `${filter.kind === "some" ? "some" : "no"} ${filter.field} with ${where}`;
}

function bracketed(model: ApiModel, type: NodeType, filter: Filter): string {
  const text = sentenceOf(model, type, filter);
  return isGroup(filter) && filter.of.length > 1 ? `(${text})` : text;
}
