// Conditions on nodes, as plan data. An absent value fails every comparison; `not` is the complement; on a list field
// one element decides (for `between`, one element meets both bounds).

import type { EndName, FieldName, IndexName, Token, TypeName, Uid, Value } from "../ground/values/value.ts";

export type Predicate = All | None | And | Or | Not | OfType | OneOf | After | Has | Compare | Lookup | Check | Linked;

/** Every node. */
export interface All {
  readonly kind: "all";
}
/** No node. */
export interface None {
  readonly kind: "none";
}
export interface And {
  readonly kind: "and";
  readonly of: readonly Predicate[];
}
export interface Or {
  readonly kind: "or";
  readonly of: readonly Predicate[];
}
export interface Not {
  readonly kind: "not";
  readonly of: Predicate;
}
export interface OfType {
  readonly kind: "type";
  readonly types: readonly TypeName[];
}
/** The node is one of these. Ascending, distinct, a plain array of numbers. */
export interface OneOf {
  readonly kind: "uids";
  readonly uids: readonly Uid[];
}
/** The node's uid is greater. Carries long scans on. */
export interface After {
  readonly kind: "after";
  readonly uid: Uid;
}
/** The field holds a value, the empty text included. For links see `Linked`. */
export interface Has {
  readonly kind: "has";
  readonly field: FieldName;
}
export type Comparison = "eq" | "in" | "lt" | "le" | "gt" | "ge" | "between";
/** Compares by the order of the field's kind. One operand; `in` any number, also none; `between` two, both inclusive. */
export interface Compare {
  readonly kind: "compare";
  readonly field: FieldName;
  readonly op: Comparison;
  readonly operands: readonly Value[];
}
/** The node has any, or all, of these tokens in the index. No tokens: `any` holds for none, `all` for none either. */
export interface Lookup {
  readonly kind: "lookup";
  readonly index: IndexName;
  readonly match: "any" | "all";
  readonly tokens: readonly Token[];
}
/** `test` decides. `within`, made of lookups, `and` and `or`, follows from it and only narrows where to look. */
export interface Check {
  readonly kind: "check";
  readonly field: FieldName;
  readonly test: Test;
  readonly within?: Predicate;
}
export interface Test {
  /** Name, version and operands: printed, and equal for equal tests. */
  readonly id: string;
  /** Pure. Gets all values of the field, at least one. */
  readonly holds: (values: readonly Value[]) => boolean;
}
/** At least `atLeast` nodes at the other side of `end` satisfy `where`. A semi-join. */
export interface Linked {
  readonly kind: "linked";
  readonly end: EndName;
  readonly where: Predicate;
  readonly atLeast: number;
}

export const all: All = Object.freeze({ kind: "all" });
export const none: None = Object.freeze({ kind: "none" });

const lastingOnes = new WeakSet<Predicate>();

/** The conjunction, flattened up to what is lasting: `all` adds nothing, `none` decides. */
export function and(...of: readonly Predicate[]): Predicate {
  const [first, second] = of;
  if (first !== undefined && of.length === 1) return first;
  if (first !== undefined && second !== undefined && of.length === 2) {
    if (first.kind === "all" || second.kind === "none") return second;
    if (second.kind === "all" || first.kind === "none") return first;
  }
  const flat = of.flatMap((each) => (each.kind === "and" && !lastingOnes.has(each) ? each.of : each.kind === "all" ? [] : [each]));
  if (flat.some((each) => each.kind === "none")) return none;
  if (flat.length === 0) return all;
  return flat.length === 1 ? (flat[0] as Predicate) : { kind: "and", of: flat };
}

/** The disjunction, flattened: `none` adds nothing, `all` decides. */
export function or(...of: readonly Predicate[]): Predicate {
  const flat = of.flatMap((each) => (each.kind === "or" ? each.of : each.kind === "none" ? [] : [each]));
  if (flat.some((each) => each.kind === "all")) return all;
  if (flat.length === 0) return none;
  return flat.length === 1 ? (flat[0] as Predicate) : { kind: "or", of: flat };
}

export function not(of: Predicate): Predicate {
  if (of.kind === "all") return none;
  if (of.kind === "none") return all;
  return of.kind === "not" ? of.of : { kind: "not", of };
}

/**
 * Says that this very object will be asked about again and again, as conditions of rules are. A storage may keep what it finds out with it for as
 * long as the data stay as they are.
 */
export function lasting<P extends Predicate>(predicate: P): P {
  if (predicate.kind === "and") for (const each of predicate.of) lasting(each);
  // What holds for all or for none is known without looking.
  if (predicate.kind !== "all" && predicate.kind !== "none") lastingOnes.add(predicate);
  return predicate;
}

export function isLasting(predicate: Predicate): boolean {
  return lastingOnes.has(predicate);
}
