// The keys that a dependency can be indexed by: something that every node which affects it has or had.

import type { EndName, LayoutIndex, LookupSlot, Predicate, Token, TypeName, Uid, Value } from "../../../../core/plugin.ts";
import type { Dependency, NodeDependency } from "./dependency.ts";
import type { Interval } from "./interval-set.ts";

export type LookupTerm = Token | Value;

/** A node can affect the dependency only if it has, or had, this key. */
export type DependencyKey =
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

/** All keys that fit; the last one, by types, always does. */
export function dependencyKeysOf(dependency: Dependency, layout: LayoutIndex): readonly DependencyKey[] {
  if (dependency.kind === "links") return linkKeys(dependency.end, dependency.from.uids, layout);
  return [...nodeKeys(dependency, layout), byTypes(dependency)];
}

function linkKeys(end: EndName, from: readonly Uid[], layout: LayoutIndex): readonly DependencyKey[] {
  const types = layout.sharedSet(layout.edges.end(end)?.types ?? []);
  const byType: DependencyKey = { by: "types", types, properties: [end], lifecycle: false };
  return from.length > maxEntries ? [byType] : [{ by: "uids", uids: from }, byType];
}

function nodeKeys(dependency: NodeDependency, layout: LayoutIndex): readonly DependencyKey[] {
  const { resultUids, filterFields, within, linked } = dependency;
  const fixed = linked && filterFields.size === 0 && resultUids;
  if (fixed) return fixed.size > maxEntries ? [] : [{ by: "uids", uids: fixed.uids }];
  const known = keysOfCondition(dependency.where, layout);
  return within && within.to.size <= maxEntries
    ? [...known, { by: "partner", end: within.end, partner: { by: "uids", uids: within.to.uids } }]
    : known;
}

function byTypes({ types, selectedFields, filterFields, linked }: NodeDependency): DependencyKey {
  return { by: "types", types, properties: [...new Set([...selectedFields, ...filterFields])], lifecycle: !linked };
}

/** Keys of which every node that satisfies the condition has each. */
function keysOfCondition(where: Predicate, layout: LayoutIndex): readonly DependencyKey[] {
  switch (where.kind) {
    case "and":
      return where.of.flatMap((each) => keysOfCondition(each, layout));
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
      return where.within ? keysOfCondition(where.within, layout) : [];
    case "linked":
      return keysOfCondition(where.where, layout).flatMap((partner) =>
        partner.by === "uids" || partner.by === "keys" ? [{ by: "partner" as const, end: where.end, partner }] : [],
      );
    default:
      return [];
  }
}

function byKeys(slot: string, keys: readonly LookupTerm[]): readonly DependencyKey[] {
  return keys.length > maxEntries ? [] : [{ by: "keys", slot, keys }];
}

/** Only an index with a history says which values a node had before. */
function byRange({ name, past }: LookupSlot, interval: Interval): readonly DependencyKey[] {
  return past === undefined ? [] : [{ by: "range", slot: name, ...interval }];
}
