// Whether others have written since the start of a transaction what it writes too: the same value, the same element of a list, the same link, or the same key.

import {
  addToGroup,
  type EndName,
  equalValues,
  type FieldName,
  type Snapshot,
  type Stored,
  sameStored,
  type Uid,
  type Value,
} from "../../../core/plugin.ts";
import { looseOverlay } from "../overlay/loose-records.ts";
import { overlaySnapshot } from "../overlay/overlay-snapshot.ts";
import { untypedName } from "../schema/catalog.ts";
import type { Applied, Draft } from "../write/draft.ts";
import type { WriteFacts } from "../write/facts.ts";
import type { Operation } from "../write/operations.ts";

/** The data at one time, and a draft that has carried out the transaction on them. */
export interface Side {
  readonly base: Snapshot;
  readonly draft: Draft;
}

export interface Sides {
  readonly start: Side;
  readonly now: Side;
}

const sliceSize = 1_000;

export async function hasConflict(steps: readonly Applied[], sides: Sides, facts: WriteFacts): Promise<boolean> {
  const operations = steps.flatMap((step) => step.operations);
  if (operations.some((operation) => hasChanged(operation, sides, facts))) return true;
  return (await haveLinksChanged(operations, sides)) || (await areKeysTaken(operations, sides, facts));
}

function hasChanged(operation: Operation, { start, now }: Sides, facts: WriteFacts): boolean {
  const { uid } = operation;
  if (typeOf(start, uid) !== typeOf(now, uid) || recordOf(start, uid) !== recordOf(now, uid)) return true;
  const differs = (field: FieldName) => !sameStored(storedOf(start, uid, field), storedOf(now, uid, field));
  const moved = (end: EndName) => !sameUids(linksOf(start, uid, end), linksOf(now, uid, end));
  switch (operation.kind) {
    case "value":
      return operation.list ? hasElement(start, operation, facts) !== hasElement(now, operation, facts) : differs(operation.field);
    case "clear":
      return operation.fields.some(differs);
    case "link":
      return typeOf(start, operation.to) !== typeOf(now, operation.to);
    case "unlink":
      return moved(operation.end);
    case "everything": {
      const type = typeOf(start, uid);
      return type !== undefined && ([...facts.fieldsOf(type)].some(differs) || facts.endsOf(type).some(moved));
    }
    default:
      return false;
  }
}

function typeOf({ draft }: Side, uid: Uid) {
  return draft.overlay.nodes.get(uid)?.native;
}

function recordOf({ draft }: Side, uid: Uid) {
  return draft.records.get(uid)?.data;
}

function storedOf({ draft }: Side, uid: Uid, field: FieldName): Stored | undefined {
  return draft.stored.get(uid)?.get(field);
}

function linksOf({ draft }: Side, uid: Uid, end: EndName): readonly Uid[] {
  return draft.linked.get(end)?.get(uid) ?? [];
}

function sameUids(a: readonly Uid[], b: readonly Uid[]): boolean {
  const known = new Set(a);
  return a.length === b.length && b.every((uid) => known.has(uid));
}

function hasElement(side: Side, { uid, field, value }: Extract<Operation, { kind: "value" }>, { index }: WriteFacts): boolean {
  const stored = storedOf(side, uid, field);
  return Array.isArray(stored) && stored.some((each: Value) => equalValues(index.kindOf(field), each, value));
}

// ---- links ----------------------------------------------------------------------------------------------------------------------

async function haveLinksChanged(operations: readonly Operation[], { start, now }: Sides): Promise<boolean> {
  const byEnd = new Map<EndName, Extract<Operation, { kind: "link" }>[]>();
  for (const operation of operations) {
    if (operation.kind !== "link") continue;
    if (areSinglesMoved(operation, { start, now })) return true;
    addToGroup(byEnd, operation.end, operation);
  }
  for (const [end, links] of byEnd) {
    for (let i = 0; i < links.length; i += sliceSize) {
      const slice = links.slice(i, i + sliceSize);
      const [before, after] = [await linksAmong(end, slice, start), await linksAmong(end, slice, now)];
      if (slice.some((link) => before.has(pairOf(link)) !== after.has(pairOf(link)))) return true;
    }
  }
  return false;
}

/** A single end has one partner: any other one counts. */
function areSinglesMoved({ uid, end, to }: Extract<Operation, { kind: "link" }>, { start, now }: Sides): boolean {
  const { edges } = start.draft.facts.index;
  const ends: readonly (readonly [EndName, Uid])[] = [[end, uid], ...edges.opposite(end).map(({ name }): [EndName, Uid] => [name, to])];
  return ends.some(([name, at]) => edges.isSingle(name) && !sameUids(linksOf(start, at, name), linksOf(now, at, name)));
}

async function linksAmong(end: EndName, links: readonly Extract<Operation, { kind: "link" }>[], { base, draft }: Side): Promise<ReadonlySet<string>> {
  const stored = (uid: Uid) => draft.overlay.nodes.get(uid)?.native !== undefined;
  const from = ascending(links.map(({ uid }) => uid).filter(stored));
  const uids = ascending(links.map(({ to }) => to).filter(stored));
  if (from.length === 0 || uids.length === 0) return new Set();
  const { starts, rows, nodes } = await base.follow({ from, end, where: { kind: "uids", uids }, fields: [] });
  const partners = (at: number) => rows.slice(starts[at] ?? 0, starts[at + 1] ?? 0).map((row) => nodes.uids[row] ?? 0);
  return new Set(from.flatMap((uid, at) => partners(at).map((to) => pairOf({ uid, to }))));
}

function pairOf({ uid, to }: { readonly uid: Uid; readonly to: Uid }): string {
  return `${uid} ${to}`;
}

function ascending(uids: readonly Uid[]): readonly Uid[] {
  return [...new Set(uids)].sort((a, b) => a - b);
}

// ---- keys -----------------------------------------------------------------------------------------------------------------------

async function areKeysTaken(operations: readonly Operation[], { start, now }: Sides, facts: WriteFacts): Promise<boolean> {
  const values = new Map<FieldName, Value[]>();
  for (const operation of operations) {
    if (operation.kind === "value" && facts.keys.has(operation.field)) addToGroup(values, operation.field, operation.value);
  }
  for (const [field, operands] of values) {
    for (let i = 0; i < operands.length; i += sliceSize) {
      const slice = operands.slice(i, i + sliceSize);
      const [before, after] = [await holdersOf(field, slice, start), await holdersOf(field, slice, now)];
      if (!sameUids(before, after)) return true;
    }
  }
  return false;
}

/** The nodes that hold one of the values, those without a type included. */
async function holdersOf(field: FieldName, operands: readonly Value[], { base, draft }: Side): Promise<readonly Uid[]> {
  const { index, catalog } = draft.facts;
  const source = { snapshot: base, index, types: catalog.types };
  const overlay = await looseOverlay(source);
  const seen = overlay ? overlaySnapshot(base, { ...source, overlay }) : base;
  const types = overlay ? [...catalog.holdersOf(field), untypedName()] : catalog.holdersOf(field);
  return (await seen.find({ types, where: { kind: "compare", field, op: "in", operands }, fields: [] })).uids;
}
