// Decides predicates on one node at a time: what an index cannot answer, and the plain meaning that every storage must agree with.

import type { IndexLayout } from "../../contracts/layout.ts";
import type { Compare, Linked, Lookup, Predicate } from "../../contracts/predicate.ts";
import { compareValues } from "../../ground/values/compare.ts";
import { parseDateTime } from "../../ground/values/date-time.ts";
import type { FieldName, IndexName, Stored, TypeName, Uid, Value, ValueKind } from "../../ground/values/value.ts";
import { tokensTest } from "./tokens-test.ts";

/** One node as a matcher sees it. */
export interface NodeView {
  readonly uid: Uid;
  readonly type: TypeName;
  value(field: FieldName): Stored | undefined;
}

/** What a compiled predicate needs to know of the layout. */
export interface MatcherFacts {
  kindOf(field: FieldName): ValueKind;
  index(name: IndexName): IndexLayout | undefined;
  /** Decides a semi-join. A matcher that cannot do so throws; its caller replaces `linked` by `uids` first. */
  linked(node: NodeView, predicate: Linked): boolean;
}

/** Whether a node satisfies the predicate that was compiled. */
export type Matcher = (node: NodeView) => boolean;

/** Compiles `predicate` once, to be asked of many nodes. */
export function matcher(predicate: Predicate, facts: MatcherFacts): Matcher {
  switch (predicate.kind) {
    case "all":
      return () => true;
    case "none":
      return () => false;
    case "and": {
      const parts = predicate.of.map((each) => matcher(each, facts));
      return (node) => parts.every((part) => part(node));
    }
    case "or": {
      const parts = predicate.of.map((each) => matcher(each, facts));
      return (node) => parts.some((part) => part(node));
    }
    case "not": {
      const part = matcher(predicate.of, facts);
      return (node) => !part(node);
    }
    case "type": {
      const types = new Set(predicate.types);
      return (node) => types.has(node.type);
    }
    case "uids": {
      const uids = new Set(predicate.uids);
      return (node) => uids.has(node.uid);
    }
    case "after":
      return (node) => node.uid > predicate.uid;
    case "has":
      return (node) => node.value(predicate.field) !== undefined;
    case "compare": {
      const holds = comparison(predicate, facts.kindOf(predicate.field));
      return (node) => valuesOf(node.value(predicate.field)).some(holds);
    }
    case "check":
      return (node) => {
        const values = valuesOf(node.value(predicate.field));
        return values.length > 0 && predicate.test.holds(values);
      };
    case "lookup":
      return lookup(predicate, facts);
    case "linked":
      return (node) => facts.linked(node, predicate);
  }
}

function valuesOf(stored: Stored | undefined): readonly Value[] {
  if (stored === undefined) return [];
  return isList(stored) ? stored : [stored];
}

function isList(stored: Stored): stored is readonly Value[] {
  return Array.isArray(stored);
}

/** Whether one value passes; a value that is not of `kind` passes nothing. */
export function comparison(predicate: Compare, kind: ValueKind): (value: Value) => boolean {
  const [first, second] = predicate.operands;
  if (predicate.op === "in") return among(predicate.operands, kind);
  if (first === undefined) return () => false;
  switch (predicate.op) {
    case "eq":
      return (value) => compareValues(kind, value, first) === 0;
    case "lt":
      return (value) => compareValues(kind, value, first) < 0;
    case "le":
      return (value) => compareValues(kind, value, first) <= 0;
    case "gt":
      return (value) => compareValues(kind, value, first) > 0;
    case "ge":
      return (value) => compareValues(kind, value, first) >= 0;
    case "between":
      return (value) => second !== undefined && compareValues(kind, value, first) >= 0 && compareValues(kind, value, second) <= 0;
  }
}

/** More operands are looked up instead of compared one by one. */
const fewOperands = 8;

function among(operands: readonly Value[], kind: ValueKind): (value: Value) => boolean {
  if (operands.length <= fewOperands || kind === "geo" || kind === "vector") {
    return (value) => operands.some((each) => compareValues(kind, value, each) === 0);
  }
  const others = new Set<Value>();
  const instants = new Set<string>();
  for (const each of operands) {
    const instant = instantOf(each, kind);
    if (instant === undefined) others.add(each);
    else instants.add(instant);
  }
  // It equals nothing.
  others.delete(Number.NaN);
  return (value) => {
    const instant = instantOf(value, kind);
    return instant === undefined ? others.has(value) : instants.has(instant);
  };
}

/** The same for all spellings of an instant; undefined: the value is none. */
function instantOf(value: Value, kind: ValueKind): string | undefined {
  const instant = kind === "dateTime" && typeof value === "string" ? parseDateTime(value) : undefined;
  return instant && `${instant.seconds} ${instant.nanos}`;
}

function lookup(predicate: Lookup, facts: MatcherFacts): Matcher {
  const index = facts.index(predicate.index);
  if (index?.by !== "tokens") return () => false;
  const test = tokensTest(index, predicate);
  return (node) => test(valuesOf(node.value(index.field)));
}
