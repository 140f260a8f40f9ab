// The keys that a dependency can be indexed by: something that every node which affects it has or had.

import type { EndName, LayoutIndex, Linked, LookupSlot, Predicate, Token, TypeName, Uid, Value } from "../../../../core/plugin.ts";
import type { Dependency, NodeDependency } from "./dependency.ts";
import type { Interval } from "./interval-set.ts";

export type LookupTerm = Token | Value;

/** A node can affect the dependency only if it has, or had, this key. */
export type DependencyKey = SingleKey | AnyKey;

/** It has one of these, at most one range of each slot: a disjunction has one for each branch. */
export interface AnyKey {
  readonly by: "any";
  readonly of: readonly SingleKey[];
}

export type SingleKey =
  | { readonly by: "uids"; readonly uids: readonly Uid[] }
  | { readonly by: "keys"; readonly slot: string; readonly keys: readonly LookupTerm[] }
  /** It has a value in the interval, bounds included. */
  | ({ readonly by: "range"; readonly slot: string } & Interval)
  /** It has a partner at `end` with this key. */
  | { readonly by: "partner"; readonly end: EndName; readonly partner: Extract<DependencyKey, { by: "uids" | "keys" }> }
  /** It is of one of these types, and one of `properties` changed; with `lifecycle` also if it was created or removed. */
  | { readonly by: "types"; readonly types: ReadonlySet<TypeName>; readonly properties: readonly string[]; readonly lifecycle: boolean };

/** More index entries than this for one dependency cost more than they save. */
const maxEntries = 200;

export interface KeyContext {
  readonly layout: LayoutIndex;
  /** The most selective of some keys; undefined: there are none. */
  choose(keys: readonly DependencyKey[]): DependencyKey | undefined;
}

interface ConditionContext extends KeyContext {
  /** Which partners satisfy a semi-join's condition, where the run has asked for them. */
  readonly reached: NodeDependency["reached"];
}

/** All keys that fit; the last one, by types, always does. */
export function dependencyKeysOf(dependency: Dependency, context: KeyContext): readonly DependencyKey[] {
  if (dependency.kind === "links") return linkKeys(dependency.end, dependency.from.uids, context.layout);
  return [...nodeKeys(dependency, context), byTypes(dependency)];
}

export function singleKeysOf(key: DependencyKey): readonly SingleKey[] {
  return key.by === "any" ? key.of : [key];
}

/**
 * Semi-joins of `where` that no partner can be found by, since their own conditions are on partners in turn: a key needs to know which partners satisfy
 * them.
 */
export function farSemiJoins(where: Predicate, layout: LayoutIndex): readonly Linked[] {
  if (where.kind === "and" || where.kind === "or") return where.of.flatMap((each) => farSemiJoins(each, layout));
  return where.kind === "linked" && where.atLeast > 0 && isFar(where, layout) ? [where] : [];
}

function isFar({ where }: Linked, layout: LayoutIndex): boolean {
  const keys = keysOfCondition(where, { layout, reached: undefined, choose: ([first]) => first });
  return keys.length > 0 && keys.every((key) => singleKeysOf(key).some(({ by }) => by === "partner"));
}

function linkKeys(end: EndName, from: readonly Uid[], layout: LayoutIndex): readonly DependencyKey[] {
  const types = layout.sharedSet(layout.edges.end(end)?.types ?? []);
  const byType: DependencyKey = { by: "types", types, properties: [end], lifecycle: false };
  return from.length > maxEntries ? [byType] : [{ by: "uids", uids: from }, byType];
}

function nodeKeys(dependency: NodeDependency, context: KeyContext): readonly DependencyKey[] {
  const { resultUids, filterFields, within, linked, reached } = dependency;
  const fixed = linked && filterFields.size === 0 && resultUids;
  if (fixed && fixed.size <= maxEntries) return [{ by: "uids", uids: fixed.uids }];
  const known = keysOfCondition(dependency.where, { ...context, reached });
  return within && within.to.size <= maxEntries
    ? [...known, { by: "partner", end: within.end, partner: { by: "uids", uids: within.to.uids } }]
    : known;
}

function byTypes({ types, selectedFields, filterFields, linked }: NodeDependency): DependencyKey {
  return { by: "types", types, properties: [...new Set([...selectedFields, ...filterFields])], lifecycle: !linked };
}

/** Keys of which every node that satisfies the condition has each. */
function keysOfCondition(where: Predicate, context: ConditionContext): readonly DependencyKey[] {
  const { layout } = context;
  switch (where.kind) {
    case "and":
      return where.of.flatMap((each) => keysOfCondition(each, context));
    case "or":
      return byAny(where.of.map((each) => context.choose(keysOfCondition(each, context))));
    case "uids":
      return where.uids.length > maxEntries ? [] : [{ by: "uids", uids: where.uids }];
    case "none":
      return [{ by: "uids", uids: [] }];
    case "compare": {
      const slot = layout.slots.of(where.field);
      if (slot === undefined) return [];
      const [first, second] = where.operands;
      switch (where.op) {
        case "in":
          return byKeys(slot.name, where.operands);
        case "eq":
          return byKeys(slot.name, where.operands.slice(0, 1));
        case "lt":
        case "le":
          return byRange(slot, { low: undefined, high: first });
        case "gt":
        case "ge":
          return byRange(slot, { low: first, high: undefined });
        case "between":
          return byRange(slot, { low: first, high: second });
      }
      return [];
    }
    case "lookup":
      return where.match === "any"
        ? byKeys(where.index, where.tokens)
        : where.tokens.map((token) => ({ by: "keys", slot: where.index, keys: [token] }));
    case "check":
      return where.within ? keysOfCondition(where.within, context) : [];
    case "linked":
      return byPartner(where, context);
    default:
      return [];
  }
}

function byPartner(where: Linked, context: ConditionContext): readonly DependencyKey[] {
  const reached = context.reached?.get(where);
  const partners: readonly DependencyKey[] = reached ? [{ by: "uids", uids: reached.uids }] : keysOfCondition(where.where, context);
  return partners.flatMap((partner) => atPartner(where.end, partner));
}

function atPartner(end: EndName, key: DependencyKey): readonly DependencyKey[] {
  if (key.by === "uids" || key.by === "keys") return [{ by: "partner", end, partner: key }];
  return key.by === "any" ? byAny(key.of.map((each) => atPartner(end, each)[0])) : [];
}

/** @param branches undefined: a branch without a key */
function byAny(branches: readonly (DependencyKey | undefined)[]): readonly DependencyKey[] {
  const of: SingleKey[] = [];
  for (const branch of branches) {
    if (branch === undefined) return [];
    of.push(...singleKeysOf(branch));
  }
  const slots = of.flatMap((key) => (key.by === "range" ? [key.slot] : []));
  return of.length > maxEntries || new Set(slots).size < slots.length ? [] : [{ by: "any", of }];
}

function byKeys(slot: string, keys: readonly LookupTerm[]): readonly DependencyKey[] {
  return keys.length > maxEntries ? [] : [{ by: "keys", slot, keys }];
}

/** Whether both find the same nodes. */
export function isSameKey(a: DependencyKey, b: DependencyKey): boolean {
  if (a.by === "uids" && b.by === "uids") return isSameList(a.uids, b.uids);
  if (a.by === "keys" && b.by === "keys") return a.slot === b.slot && isSameList(a.keys, b.keys);
  if (a.by === "range" && b.by === "range") return a.slot === b.slot && a.low === b.low && a.high === b.high;
  if (a.by === "partner" && b.by === "partner") return a.end === b.end && isSameKey(a.partner, b.partner);
  if (a.by === "types" && b.by === "types") return a.types === b.types && a.lifecycle === b.lifecycle && isSameList(a.properties, b.properties);
  return a.by === "any" && b.by === "any" && a.of.length === b.of.length && a.of.every((each, i) => isSameKey(each, b.of[i] ?? b));
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}

/** Only an index with a history says which values a node had before. */
function byRange({ name, past }: LookupSlot, interval: Interval): readonly DependencyKey[] {
  return past === undefined ? [] : [{ by: "range", slot: name, ...interval }];
}
