// Where a walk of an ordered index may begin: no node before that place satisfies the conditions. The page behind a cursor then costs what the
// first page costs, however many nodes come before it.

import { and, type Compare, isLasting, type OrderKey, type Predicate, type Uid } from "../../../core/storage.ts";
import type { FieldRuntime } from "../deploy/layout-runtime.ts";
import { compareSortKeys, type SortKey, sortKey } from "../structures/sort-keys.ts";

/** The first place, in the direction of the order, at which a node with a value may match: its value, and the lowest uid among equal values. */
export interface Place {
  readonly key: SortKey;
  /** `Infinity`: behind all nodes with this value. */
  readonly uid: Uid;
}

/** "nowhere": no node with a value of the field matches. */
export type WalkStart = Place | "beginning" | "nowhere";

interface Walked {
  readonly field: FieldRuntime;
  readonly by: OrderKey;
}

/** @param where the conditions of the request, `undefined` for none */
export function walkStart(where: Predicate | undefined, walked: Walked): WalkStart {
  switch (where?.kind) {
    case "none":
      return "nowhere";
    case "and":
      return behind(
        where.of.map((each) => walkStart(each, walked)).reduce((a, b) => later(a, b, walked), "beginning"),
        where.of,
      );
    case "or":
      return where.of.map((each) => walkStart(each, walked)).reduce((a, b) => earlier(a, b, walked), "nowhere");
    case "not":
      return where.of.kind === "has" && where.of.field === walked.by.field ? "nowhere" : "beginning";
    case "compare":
      return where.field === walked.by.field ? startOfValues(where, walked) : "beginning";
    default:
      return "beginning";
  }
}

/** Conditions that are: at or behind a place of the order, and the rest. */
export interface Seek {
  readonly start: Place;
  readonly rest: Predicate | undefined;
}

/** Splits off the condition that a page behind a cursor adds; undefined: there is none. A walk from its place need not test it. */
export function seekIn(where: Predicate | undefined, walked: Walked): Seek | undefined {
  if (where === undefined || isLasting(where)) return undefined;
  const conditions = where.kind === "and" ? where.of : [where];
  for (const condition of conditions) {
    const start = seekPlace(condition, walked);
    if (start === undefined) continue;
    const others = conditions.filter((each) => each !== condition);
    return { start, rest: others.length === 0 ? undefined : and(...others) };
  }
  return undefined;
}

/** Of "beyond the value, or without one, or the same and behind the uid". */
function seekPlace(condition: Predicate, { field, by }: Walked): Place | undefined {
  if (condition.kind !== "or" || condition.of.length !== 3) return undefined;
  const beyond = condition.of.find((each) => isComparison(each, by, by.direction === "asc" ? "gt" : "lt"));
  const missing = condition.of.find((each) => each.kind === "not" && each.of.kind === "has" && each.of.field === by.field);
  const tied = condition.of.find((each) => each.kind === "and");
  if (beyond?.kind !== "compare" || missing === undefined || tied?.kind !== "and" || tied.of.length !== 2) return undefined;
  const same = tied.of.find((each) => isComparison(each, by, "eq"));
  const behindUid = tied.of.find((each) => each.kind === "after");
  if (same?.kind !== "compare" || behindUid?.kind !== "after") return undefined;
  const [key, other] = [beyond, same].map(({ operands: [operand] }) => (operand === undefined ? undefined : sortKey(field.kind, operand)));
  return key === undefined || key !== other ? undefined : { key, uid: behindUid.uid + 1 };
}

function isComparison(condition: Predicate, { field }: OrderKey, op: Compare["op"]): boolean {
  return condition.kind === "compare" && condition.field === field && condition.op === op;
}

/** Of the nodes with the value of the place, only those above the bound match. */
function behind(start: WalkStart, conditions: readonly Predicate[]): WalkStart {
  if (typeof start === "string") return start;
  const uid = conditions.reduce((most, each) => (each.kind === "after" ? Math.max(most, each.uid + 1) : most), start.uid);
  return { key: start.key, uid };
}

function startOfValues({ op, operands }: Compare, walked: Walked): WalkStart {
  const { field, by } = walked;
  const keys = operands.flatMap((operand) => sortKey(field.kind, operand) ?? []);
  const [first, last] = [keys[0], keys.at(-1)];
  // An operand that the field cannot hold: the condition itself decides.
  if (first === undefined || last === undefined || keys.length < operands.length) return "beginning";
  const at = (key: SortKey): Place => ({ key, uid: 0 });
  const beyond = (key: SortKey): Place => ({ key, uid: Number.POSITIVE_INFINITY });
  const isUp = by.direction === "asc";
  switch (op) {
    case "eq":
      return at(first);
    case "in":
      return keys.map(at).reduce((a, b) => (comparePlaces(a, b, walked) <= 0 ? a : b));
    case "between":
      return at(isUp ? first : last);
    case "gt":
      return isUp ? beyond(first) : "beginning";
    case "ge":
      return isUp ? at(first) : "beginning";
    case "lt":
      return isUp ? "beginning" : beyond(first);
    case "le":
      return isUp ? "beginning" : at(first);
  }
}

function later(a: WalkStart, b: WalkStart, walked: Walked): WalkStart {
  if (a === "nowhere" || b === "beginning") return a;
  if (b === "nowhere" || a === "beginning") return b;
  return comparePlaces(a, b, walked) >= 0 ? a : b;
}

function earlier(a: WalkStart, b: WalkStart, walked: Walked): WalkStart {
  return later(a, b, walked) === a ? b : a;
}

/** By value in the direction of the order; equal values by uid, ascending in both directions. */
function comparePlaces(a: Place, b: Place, { by }: Walked): number {
  const outcome = compareSortKeys(a.key, b.key);
  if (outcome !== 0) return by.direction === "asc" ? outcome : -outcome;
  return a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0;
}
