// Finds the nodes that a plugin's lookups name: those of one type by the same parts together, with the rules that also apply to `get`.

import type { NodeType } from "../../contracts/model.ts";
import type { LookupPart, NodeLookup } from "../../contracts/plugin/root-answer.ts";
import { and } from "../../contracts/predicate.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import { nextTurn } from "../../ground/turns.ts";
import type { FieldName, TypeName, Uid } from "../../ground/values/value.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import type { BoundLevel } from "../level/level.ts";
import type { Rows } from "../level/rows.ts";
import type { ReadContext } from "../operation-context.ts";
import { type LookupGroup, type LookupItem, lookupCondition, tupleText, withOperands } from "./lookup-condition.ts";
import { readBelow } from "./read-level.ts";

/** The nodes that lookups name, and the row of each lookup. */
export interface FoundPlaces {
  readonly rows: Rows;
  /** By lookup; -1: no node. */
  readonly places: readonly number[];
  /** Lookups that several nodes satisfy. */
  readonly ambiguous: readonly number[];
}

type Lookups = readonly (NodeLookup | undefined)[];

export function* lookUpNodes(bound: BoundLevel, lookups: Lookups, context: ReadContext): Work<FoundPlaces> {
  // With thousands of lookups each of these steps takes milliseconds: others run between.
  const isMany = lookups.length > batchSize;
  if (isMany) yield nextTurn();
  const batches = groupLookups(lookups, bound).flatMap(inBatches);
  const resolved = yield* resolveAll(batches, bound, context);
  if (isMany) yield nextTurn();
  return yield* loadFound(bound, { lookups, resolved }, context);
}

interface Found {
  readonly lookups: Lookups;
  readonly resolved: readonly Resolved[];
}

function* loadFound(bound: BoundLevel, { lookups, resolved }: Found, context: ReadContext): Work<FoundPlaces> {
  const uids = new Map(resolved.flatMap((each) => each.uids));
  const asked = lookups.flatMap((lookup, place): readonly Asked[] => {
    const uid = uids.get(place);
    return lookup && uid !== undefined ? [{ place, uid, types: seenTypes(lookup.type, bound), represented: lookup.represented }] : [];
  });
  const batch = yield* wait(context.snapshot.load({ uids: asked.map(({ uid }) => uid), types: bound.types, fields: bound.level.columns }));
  const places = placesOf(asked, batch, lookups.length);
  const rows = yield* readBelow(withRepresented(bound, asked, places), batch, context);
  return { rows, places, ambiguous: resolved.flatMap((each) => each.ambiguous) };
}

/**
 * The lookups of types of which the caller may see nodes. Those that follow links have a group each: a row does not show by which partner it was
 * found.
 */
function groupLookups(lookups: Lookups, bound: BoundLevel): readonly LookupGroup[] {
  const groups = new Map<string, Omit<LookupGroup, "items"> & { items: LookupItem[] }>();
  lookups.forEach((lookup, place) => {
    if (!lookup) return;
    const { type, by } = lookup;
    const name = by.every(isOfNode) ? `${type.name} ${by.map(({ field }) => field.name).join(" ")}` : `${place}`;
    const group = groups.get(name) ?? { type, parts: by, items: [] };
    groups.set(name, group);
    group.items.push({ place, values: by.map(({ value }) => value) });
  });
  return [...groups.values()].filter(({ type }) => seenTypes(type, bound).length > 0);
}

function isOfNode({ path = [] }: LookupPart): boolean {
  return path.length === 0;
}

/** The concrete types of `type` of which the caller may see nodes. */
function seenTypes(type: NodeType, { types }: BoundLevel): readonly TypeName[] {
  return type.members.map(({ stored }) => stored).filter((stored) => types.includes(stored));
}

/** Lookups in one call to the storage: it opens a list for each of them before it pauses. */
const batchSize = 250;

/** Types side by side; many lookups in slices, so that other requests run between. */
function* resolveAll(batches: readonly LookupGroup[], bound: BoundLevel, context: ReadContext): Work<readonly Resolved[]> {
  if (!batches.some(({ items }) => items.length === batchSize)) return yield* together(batches.map((batch) => resolve(batch, bound, context)));
  const resolved: Resolved[] = [];
  for (const batch of batches) {
    resolved.push(yield* resolve(batch, bound, context));
    yield;
  }
  return resolved;
}

function inBatches(group: LookupGroup): readonly LookupGroup[] {
  const count = Math.ceil(group.items.length / batchSize);
  return Array.from({ length: count }, (_, i) => ({ ...group, items: group.items.slice(i * batchSize, (i + 1) * batchSize) }));
}

interface Resolved {
  /** By lookup. */
  readonly uids: readonly (readonly [place: number, uid: Uid])[];
  readonly ambiguous: readonly number[];
}

/** Nodes that their IDs alone name, and that every caller may see, need no search. */
function* resolve(group: LookupGroup, bound: BoundLevel, context: ReadContext): Work<Resolved> {
  const { parts, items } = group;
  const isById = parts.length === 1 && parts.every((part) => part.field.role === "id" && isOfNode(part));
  if (isById && bound.where.kind === "all") return { uids: items.map(({ place, values }) => [place, Number(values[0])]), ambiguous: [] };
  return yield* search(withOperands(group, context), bound, context);
}

function* search(group: LookupGroup, bound: BoundLevel, context: ReadContext): Work<Resolved> {
  const fields = [...new Set(group.parts.flatMap(({ field, path = [] }) => (field.role === "value" && path.length === 0 ? field.stored : [])))];
  const where = yield* lookupCondition(group, bound.masks, context);
  const batch = yield* wait(context.snapshot.find({ types: seenTypes(group.type, bound), where: and(where, bound.where), fields }));
  return matchItems(group, nodesByValues(group, fields, batch));
}

function nodesByValues({ parts }: LookupGroup, fields: readonly FieldName[], { uids, columns }: Batch): ReadonlyMap<string, readonly Uid[]> {
  const nodes = new Map<string, Uid[]>();
  uids.forEach((uid, row) => {
    const values = parts.filter(isOfNode).map(({ field }) => (field.role === "id" ? uid : columns[fields.indexOf(field.stored)]?.[row]));
    const name = tupleText(values);
    const same = nodes.get(name);
    if (same) same.push(uid);
    else nodes.set(name, [uid]);
  });
  return nodes;
}

function matchItems({ parts, items }: LookupGroup, nodes: ReadonlyMap<string, readonly Uid[]>): Resolved {
  const uids: [number, Uid][] = [];
  const ambiguous: number[] = [];
  for (const { place, values } of items) {
    const own = values.filter((_, i) => parts[i] !== undefined && isOfNode(parts[i]));
    const [uid, ...others] = nodes.get(tupleText(own)) ?? [];
    if (others.length > 0) ambiguous.push(place);
    else if (uid !== undefined) uids.push([place, uid]);
  }
  return { uids, ambiguous };
}

interface Asked {
  readonly place: number;
  readonly uid: Uid;
  readonly types: readonly TypeName[];
  readonly represented: NodeLookup["represented"];
}

/** A node that several lookups name has a row for each of them, so that each may have its own values. */
function withRepresented(bound: BoundLevel, asked: readonly Asked[], places: readonly number[]): BoundLevel {
  if (asked.every(({ represented }) => !represented)) return bound;
  const represented: NodeLookup["represented"][] = [];
  for (const each of asked) {
    const row = places[each.place] ?? -1;
    if (row >= 0) represented[row] = each.represented;
  }
  return bound.with({ represented });
}

/** `batch` has the nodes of `asked` in the same order, without those that do not exist. */
function placesOf(asked: readonly Asked[], batch: Batch, count: number): readonly number[] {
  const places = new Array<number>(count).fill(-1);
  let row = 0;
  for (const { place, uid, types } of asked) {
    if (batch.uids[row] !== uid) continue;
    if (types.includes(batch.types[row] ?? "")) places[place] = row;
    row++;
  }
  return places;
}
