// Where a walk of an ordered index may begin: no node before that place satisfies the conditions. The page behind a cursor then costs what the
// first page costs, however many nodes come before it.

import type { Compare, OrderKey, Place, Predicate, Uid } from "../../../core/storage.ts";
import { isList } from "../../storage-kit/index.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import { compareSortKeys, type SortKey, sortKey } from "../structures/sort-keys.ts";

/** The first entry, in the direction of the order, at which a node with a value may match: its value, and the lowest uid among equal values. */
export interface Start {
  readonly key: SortKey;
  /** `Infinity`: behind all nodes with this value. */
  readonly uid: Uid;
}

/** "nowhere": no node with a value of the field matches. */
export type WalkStart = Start | "beginning" | "nowhere";

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

/** The start of the rows behind a place of the order. Undefined: the index does not show it. */
export function startBehind({ uid, keys }: Place, { field }: Walked): WalkStart | undefined {
  const [value] = keys;
  // Nodes without a value come last, and are not in the index.
  if (value === undefined) return "nowhere";
  const key = isList(value) ? undefined : sortKey(field.kind, value);
  return key === undefined ? undefined : { key, uid: keys.length === 1 ? uid + 1 : 0 };
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
  const at = (key: SortKey): Start => ({ key, uid: 0 });
  const beyond = (key: SortKey): Start => ({ key, uid: Number.POSITIVE_INFINITY });
  const isUp = by.direction === "asc";
  switch (op) {
    case "eq":
      return at(first);
    case "in":
      return keys.map(at).reduce((a, b) => (compareStarts(a, b, walked) <= 0 ? a : b));
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

export function later(a: WalkStart, b: WalkStart, walked: Walked): WalkStart {
  if (a === "nowhere" || b === "beginning") return a;
  if (b === "nowhere" || a === "beginning") return b;
  return compareStarts(a, b, walked) >= 0 ? a : b;
}

function earlier(a: WalkStart, b: WalkStart, walked: Walked): WalkStart {
  return later(a, b, walked) === a ? b : a;
}

/** By value in the direction of the order; equal values by uid, ascending in both directions. */
function compareStarts(a: Start, b: Start, { by }: Walked): number {
  const outcome = compareSortKeys(a.key, b.key);
  if (outcome !== 0) return by.direction === "asc" ? outcome : -outcome;
  return a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0;
}
