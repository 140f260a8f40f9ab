// Converts claims to values of a query's variables. A claim is converted to the variable's type when its text allows it.

import { type GraphQLInputType, type GraphQLLeafType, isInputObjectType, isLeafType, isListType, isNonNullType, isRequiredInputField } from "graphql";
import type { Json } from "../../core/plugin.ts";

/** The claim cannot be converted to the type. */
export const unreadable: unique symbol = Symbol("a claim that does not fit its variable");

/** The coerced value. A single value for a list type becomes a list of one. */
export function readClaim(claim: Json, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return claim === null ? unreadable : readClaim(claim, type.ofType);
  if (claim === null) return isInputObjectType(type) ? unreadable : null;
  if (isListType(type)) {
    const values = (Array.isArray(claim) ? claim : [claim]).map((each) => readClaim(each, type.ofType));
    return values.includes(unreadable) ? unreadable : values;
  }
  if (isLeafType(type)) return readLeaf(claim, type);
  return isInputObjectType(type) ? readObject(claim, type) : unreadable;
}

function readObject(claim: Json, type: Extract<GraphQLInputType, { getFields: unknown }>): unknown {
  if (typeof claim !== "object" || claim === null || Array.isArray(claim)) return unreadable;
  const fields = type.getFields();
  const values: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(claim)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const value = field && !asksNothing(name, member) ? readClaim(member, field.type) : unreadable;
    if (value === unreadable) return unreadable;
    values[name] = value;
  }
  return Object.values(fields).every((field) => !isRequiredInputField(field) || Object.hasOwn(values, field.name)) ? values : unreadable;
}

/** Whether a filter member has no condition and would match everything. `eq: null` and `in: []` are conditions. */
function asksNothing(name: string, member: Json): boolean {
  if (member === null) return name !== "eq";
  return name !== "in" && (isListOfNothing(member) || isEmptyObject(member));
}

export function isEmptyObject(claim: Json): boolean {
  return typeof claim === "object" && claim !== null && !Array.isArray(claim) && Object.keys(claim).length === 0;
}

/** Whether a list has no elements except nulls and empty objects, which filters ignore. */
export function isListOfNothing(claim: Json): boolean {
  return Array.isArray(claim) && claim.every((each) => each === null || isEmptyObject(each));
}

function readLeaf(claim: Json, type: GraphQLLeafType): unknown {
  if (typeof claim === "object") return unreadable;
  for (const candidate of [claim, ...otherForms(claim)]) {
    try {
      const value = type.parseValue(candidate);
      if (value !== undefined) return value;
    } catch {
      // Try the next form.
    }
  }
  return unreadable;
}

/** `"2000"` may be a number, `"true"` a boolean, `5` a string. An integer beyond 2^53 is excluded, because it may have lost digits. */
function otherForms(claim: string | number | boolean | null): readonly (string | number | boolean)[] {
  if (typeof claim === "number" && Number.isInteger(claim) && !Number.isSafeInteger(claim)) return [];
  if (typeof claim !== "string") return [String(claim)];
  if (claim === "true" || claim === "false") return [claim === "true"];
  return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/u.test(claim) ? [Number(claim)] : [];
}
