// Objects that the arguments of a read name as inputs name them: by an ID, by keys, or by all parts of a key within others.

import type { LinkField, NodeType, ScopedKey, ValueField } from "../../contracts/model.ts";
import { and, none, type Predicate } from "../../contracts/predicate.ts";
import { QuernError } from "../../ground/errors.ts";
import { isObject } from "../../ground/is-object.ts";
import { parseUid } from "../../ground/values/uid.ts";
import type { Value } from "../../ground/values/value.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import { masksOf } from "../access/mask.ts";
import { narrow } from "../access/narrow.ts";
import { behindMask, type Masks } from "../level/masks.ts";
import type { ReadContext } from "../operation-context.ts";
import { operandOf } from "../plan/operands.ts";

type Given = Readonly<Record<string, unknown>>;

interface Reading {
  /** Of the node that is named. */
  readonly masks: Masks | undefined;
  readonly context: ReadContext;
}

/** The condition that a node is linked to the object which `given` names. An object that the caller may not see is none. */
export function* linkedToNamed(field: LinkField, given: unknown, { masks, context }: Reading): Work<Predicate> {
  const { type, raw } = memberOf(field, given, context);
  const inner = yield* wait(masksOf(type.members, "query", context));
  const seen = yield* wait(narrow(type, "query", context));
  const named = yield* namedAs(type, raw, { masks: inner, context });
  const where = and(named, seen);
  if (where.kind === "none") return none;
  return behindMask({ kind: "linked", end: field.stored, where, atLeast: 1 }, field.stored, masks) ?? none;
}

/** The type that the object is of; for a union, that of its one member. */
function memberOf({ name, target }: LinkField, given: unknown, { deployment }: ReadContext): { readonly type: NodeType; readonly raw: Given } {
  const raw = isObject(given) ? given : {};
  if (target.kind !== "union") return { type: target, raw };
  const [only, ...others] = givenIn(raw);
  const type = only && deployment.api.unionInputs.get(`${target.name}Ref`)?.get(only[0]);
  if (only && type && others.length === 0 && isObject(only[1])) return { type, raw: only[1] };
  throw invalid(`${name} must name one object of ${target.name}.`);
}

function* namedAs(type: NodeType, raw: Given, reading: Reading): Work<Predicate> {
  const { masks, context } = reading;
  const conditions: Predicate[] = [];
  const links: Work<Predicate>[] = [];
  const unmet = unmetScope(type, raw);
  if (unmet !== undefined) throw invalid(unmet);
  for (const [name, value] of givenIn(raw)) {
    const field = type.fields.get(name);
    if (field === undefined || !identifies(type, field)) throw invalid(`${name} names no ${type.name}: give its ID or a key`);
    if (field.role === "id") conditions.push({ kind: "uids", uids: [parseUid(String(value)) ?? 0] });
    else if (field.role === "value") conditions.push(behindMask(equals(field, value, context), field.stored, masks) ?? none);
    else if (field.role === "link") links.push(linkedToNamed(field, value, reading));
  }
  if (conditions.length + links.length === 0) throw invalid(`no ${type.name} is named: give its ID or a key`);
  return and(...conditions, ...(yield* together(links)));
}

function equals(field: ValueField, value: unknown, { deployment }: ReadContext): Predicate {
  return { kind: "compare", field: field.stored, op: "eq", operands: [operandOf(field, value as Value, deployment.hooks)] };
}

function identifies({ idField, keys, scopedKeys }: NodeType, field: unknown): boolean {
  return field === idField || keys.some((key) => key.field === field) || scopedKeys.some((key) => namesOf(key).some((each) => each === field));
}

/** Why what is given names no node although some of it is part of a key; undefined: it names one, or nothing is given. */
export function unmetScope({ idField, keys, scopedKeys }: NodeType, given: Given): string | undefined {
  const isGiven = ({ name }: { readonly name: string }) => (given[name] ?? undefined) !== undefined;
  if ((idField && isGiven(idField)) || keys.some(({ field }) => isGiven(field))) return undefined;
  const begun = scopedKeys.filter((key) => namesOf(key).some(isGiven));
  const [key] = begun;
  if (!key || begun.some((each) => namesOf(each).every(isGiven))) return undefined;
  const missing = namesOf(key).filter((each) => !isGiven(each));
  return `${key.field.name} is a key within ${listed(key.within)}: ${listed(missing)} must be given too`;
}

function namesOf({ field, within }: ScopedKey): readonly (ValueField | LinkField)[] {
  return [field, ...within];
}

function listed(fields: readonly { readonly name: string }[]): string {
  return fields.map(({ name }) => name).join(" and ");
}

function givenIn(raw: Given): readonly (readonly [string, unknown])[] {
  return Object.entries(raw).filter(([, value]) => value !== undefined && value !== null);
}

function invalid(message: string): QuernError {
  return new QuernError("VALUE_INVALID", message);
}
