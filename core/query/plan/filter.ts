// What the filter of a request asks of a node. Members of one object are ANDed, `or` widens the whole object beside it, and
// what says nothing (null, an empty object or list) is dropped from the combination.

import type { Field, LinkField, NodeType } from "../../contracts/model.ts";
import type { FieldFilter } from "../../contracts/plugin/field-filter.ts";
import type { LinkCondition, LinkFilter, PartnerCount } from "../../contracts/plugin/link-filter.ts";
import { all, and, none, not, or, type Predicate } from "../../contracts/predicate.ts";
import { QuernError } from "../../ground/errors.ts";
import { parseUid } from "../../ground/values/uid.ts";
import type { Uid } from "../../ground/values/value.ts";
import type { FilterShape } from "../../schema/api/api.ts";
import type { PluginHooks } from "../../schema/plugins/plugin-hooks.ts";
import { behindMask, isUnreadable, type Masks } from "../level/masks.ts";
import type { LongOperands } from "./long-operands.ts";
import { type ComparedFields, mergeAlternatives, mergeConjuncts } from "./merge-comparisons.ts";
import { withOperandHooks } from "./operands.ts";

/** A `Deployment` is one. */
export interface FilterContext {
  readonly hooks: readonly PluginHooks[];
  /** Fields that the caller may not see everywhere. */
  readonly masks?: Masks | undefined;
  /** Makes conditions of long operands. Undefined: they are made at once. */
  readonly operands?: LongOperands | undefined;
  /** The condition on the nodes at the other side of a link. */
  readonly partners?: (field: LinkField, count: PartnerCount) => Predicate;
}

/**
 * The condition that `value`, a coerced `<T>Filter`, asks for; `all` when it asks for nothing.
 *
 * @throws QuernError VALUE_INVALID for a negation of nothing, and for what a plugin's operator cannot compare
 */
export function compileFilter(shape: FilterShape, value: unknown, context: FilterContext): Predicate {
  if (isUnmet(shape, value, context.masks)) return none;
  return condition(shape, value, context) ?? all;
}

/** A condition that is left out would widen an update or a delete. */
function isUnmet(shape: FilterShape, value: unknown, masks: Masks | undefined): boolean {
  return masks !== undefined && [...masks.values()].some(({ unreadable }) => unreadable === "unmet") && asksUnreadable(shape, value, masks);
}

/** Whether a filter has a condition on a field that the caller may not read; what it asks of partners is left out. */
export function asksUnreadable(shape: FilterShape, value: unknown, masks: Masks | undefined): boolean {
  if (masks === undefined || !isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => {
    if (member === null || member === undefined) return false;
    const filter = name === shape.id ? undefined : shape.fields.get(name);
    if (filter) return !isEmptyOperator(member) && isUnreadable(filter.field.stored, masks);
    const link = shape.links.get(name);
    if (link) return link.condition(member) !== undefined && isUnreadable(link.field.stored, masks);
    if (name === "has") return asList(member).some((each) => isUnreadable(storedName(shape.node.fields.get(String(each))), masks));
    return (name === "and" || name === "or" || name === "not") && asList(member).some((each) => asksUnreadable(shape, each, masks));
  });
}

function storedName(field: Field | undefined): string {
  return field?.role === "value" || field?.role === "link" ? field.stored : "";
}

/** True for a filter that was given something and asks for nothing: `{seats: null}`, `{and: []}`. `{}` means everything on purpose. */
export function coversAllOnlyByNulls(shape: FilterShape | undefined, value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0 && asksNothing(shape, value);
}

function asksNothing(shape: FilterShape | undefined, filter: unknown): boolean {
  if (!isObject(filter)) return true;
  return Object.entries(filter).every(([name, member]) => {
    if (member === null || member === undefined) return true;
    if (name === "and" || name === "or") return asList(member).every((each) => asksNothing(shape, each));
    if (name === "has") return asList(member).every((each) => each === null);
    const link = shape?.links.get(name);
    if (link) return link.condition(member) === undefined;
    return name !== "not" && isEmptyOperator(member);
  });
}

/** Undefined: no constraint. */
function condition(shape: FilterShape, value: unknown, context: FilterContext): Predicate | undefined {
  if (!isObject(value)) return undefined;
  const must: Predicate[] = [];
  const may: Predicate[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === null || member === undefined) continue;
    if (name === "or") may.push(...conditions(shape, member, context));
    else must.push(...memberConditions(shape, { name, member }, context));
  }
  const fields = comparedFields(shape);
  const narrow = must.length === 0 ? undefined : and(...mergeConjuncts(must, fields));
  if (may.length === 0) return narrow;
  return or(...mergeAlternatives(narrow === undefined ? may : [narrow, ...may], fields));
}

const knownFields = new WeakMap<NodeType, ComparedFields>();

function comparedFields({ node }: FilterShape): ComparedFields {
  const known = knownFields.get(node);
  if (known) return known;
  const values = [...node.fields.values()].flatMap((field) => (field.role === "value" ? [field] : []));
  const byName = new Map(values.map(({ stored, kind, type }) => [stored, { kind, list: type.list }]));
  const fields: ComparedFields = (stored) => byName.get(stored);
  knownFields.set(node, fields);
  return fields;
}

function conditions(shape: FilterShape, member: unknown, context: FilterContext): readonly Predicate[] {
  return asList(member).flatMap((each) => condition(shape, each, context) ?? []);
}

interface FilterMember {
  readonly name: string;
  readonly member: unknown;
}

function memberConditions(shape: FilterShape, { name, member }: FilterMember, context: FilterContext): readonly Predicate[] {
  if (name === shape.id) return [oneOf(asList(member))];
  const field = shape.fields.get(name);
  if (field) return asArray(fieldCondition(field, member, context));
  const link = shape.links.get(name);
  if (link) return asArray(linkCondition(link, member, context));
  switch (name) {
    case "and":
      return conditions(shape, member, context);
    case "not":
      return asArray(negation(shape, member, context));
    case "has":
      return asList(member).flatMap((each) => (each === null ? [] : asArray(hasField(shape.node, String(each), context))));
    default:
      throw new QuernError("VALUE_INVALID", `The filter of ${shape.node.name} has no member ${name}`);
  }
}

function negation(shape: FilterShape, member: unknown, context: FilterContext): Predicate | undefined {
  const negated = condition(shape, member, context);
  if (negated !== undefined) return not(negated);
  if (asksUnreadable(shape, member, context.masks) || context.operands?.isIncomplete) return undefined;
  throw new QuernError(
    "VALUE_INVALID",
    `Invalid filter statement: "not" on ${shape.node.name} negates nothing, since every member in it is null or empty`,
  );
}

function fieldCondition(field: FieldFilter, member: unknown, context: FilterContext): Predicate | undefined {
  if (isEmptyOperator(member)) return undefined;
  const predicate = context.operands ? context.operands.conditionOf(field, member) : field.predicate(member);
  if (predicate === undefined) return undefined;
  return behindMask(withOperandHooks(predicate, field.field, context.hooks), field.field.stored, context.masks);
}

function linkCondition({ field, condition: conditionFor }: LinkFilter, member: unknown, context: FilterContext): Predicate | undefined {
  const asked = conditionFor(member);
  return asked && behindMask(onPartners(field, asked, context), field.stored, context.masks);
}

function onPartners(field: LinkField, asked: LinkCondition, context: FilterContext): Predicate {
  switch (asked.kind) {
    case "and":
      return and(...asked.of.map((each) => onPartners(field, each, context)));
    case "or":
      return or(...asked.of.map((each) => onPartners(field, each, context)));
    case "not":
      return not(onPartners(field, asked.of, context));
    case "partners":
      if (!context.partners) throw new QuernError("INTERNAL", `The condition on ${field.owner.name}.${field.name} has no partners.`);
      return context.partners(field, asked);
  }
}

/** Texts that are not ids match no node. */
function oneOf(ids: readonly unknown[]): Predicate {
  const uids = new Set<Uid>();
  for (const id of ids) {
    const uid = parseUid(String(id));
    if (uid !== undefined && uid !== 0) uids.add(uid);
  }
  return uids.size === 0 ? { kind: "none" } : { kind: "uids", uids: [...uids].sort((a, b) => a - b) };
}

function hasField(node: NodeType, name: string, { masks }: FilterContext): Predicate | undefined {
  const field = node.fields.get(name);
  if (field?.role === "value") return behindMask({ kind: "has", field: field.stored }, field.stored, masks);
  if (field?.role === "link") return behindMask({ kind: "linked", end: field.stored, where: all, atLeast: 1 }, field.stored, masks);
  if (field?.exposure.has) return none;
  throw new QuernError("VALUE_INVALID", `${node.name}.${name} is not stored, so "has" cannot ask for it`);
}

/** `{}`, `{gt: null}`; but `{eq: null}` asks for missing values. */
function isEmptyOperator(member: unknown): boolean {
  return isObject(member) && Object.entries(member).every(([name, operand]) => (operand === null || operand === undefined) && name !== "eq");
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function asArray<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
