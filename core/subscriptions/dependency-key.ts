// Where a watch can be found by: things that every node which concerns it must have or have had.

import type { Predicate } from "../contracts/predicate.ts";
import type { EndName, Token, TypeName, Uid, Value } from "../ground/values/value.ts";
import type { LayoutIndex } from "../query/layout-index/layout-index.ts";
import type { LookupSlot } from "../query/layout-index/lookup-slots.ts";
import type { Dependency, NodeDependency } from "./dependency.ts";
import type { Interval } from "./interval-set.ts";

export type LookupTerm = Token | Value;

/** A node that concerns the watch is, or was, found here. */
export type DependencyKey =
  | { readonly by: "uids"; readonly uids: readonly Uid[] }
  | { readonly by: "keys"; readonly slot: string; readonly keys: readonly LookupTerm[] }
  /** A value of it lies there, both ends included. */
  | ({ readonly by: "range"; readonly slot: string } & Interval)
  /** It has a partner behind `end` that is found there. */
  | { readonly by: "partner"; readonly end: EndName; readonly partner: Extract<DependencyKey, { by: "uids" | "keys" }> }
  /** Anything of these types that changes one of `properties`, or comes or goes where `living`. */
  | { readonly by: "types"; readonly types: ReadonlySet<TypeName>; readonly properties: readonly string[]; readonly living: boolean };

/** More entries than this for one watch cost more than they save. */
const maxEntries = 200;

/** All that is possible, the surest last: by type. */
export function dependencyKeysOf(watch: Dependency, layout: LayoutIndex): readonly DependencyKey[] {
  if (watch.kind === "links") return linkKeys(watch.end, watch.from.uids, layout);
  return [...nodeKeys(watch, layout), byTypes(watch)];
}

function linkKeys(end: EndName, from: readonly Uid[], layout: LayoutIndex): readonly DependencyKey[] {
  const types = layout.sharedSet(layout.edges.end(end)?.types ?? []);
  const byType: DependencyKey = { by: "types", types, properties: [end], living: false };
  return from.length > maxEntries ? [byType] : [{ by: "uids", uids: from }, byType];
}

function nodeKeys(watch: NodeDependency, layout: LayoutIndex): readonly DependencyKey[] {
  const { members, decides, within, linked } = watch;
  const fixed = linked && decides.size === 0 && members;
  if (fixed) return fixed.size > maxEntries ? [] : [{ by: "uids", uids: fixed.uids }];
  const known = keysOfCondition(watch.where, layout);
  return within && within.to.size <= maxEntries
    ? [...known, { by: "partner", end: within.end, partner: { by: "uids", uids: within.to.uids } }]
    : known;
}

function byTypes({ types, shown, decides, linked }: NodeDependency): DependencyKey {
  return { by: "types", types, properties: [...new Set([...shown, ...decides])], living: !linked };
}

/** Each names all nodes that can satisfy the condition. */
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

/** What was left behind is only told by an index. */
function byRange({ name, past }: LookupSlot, interval: Interval): readonly DependencyKey[] {
  return past === undefined ? [] : [{ by: "range", slot: name, ...interval }];
}
