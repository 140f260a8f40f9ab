// Reads the nodes of a bound level and everything below, level by level: one call a link, an aggregate, a computed field.

import { and } from "../../contracts/predicate.ts";
import type { Batch, Links, MeasureRow } from "../../contracts/storage/results.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { EndName, MaybePromise, Uid } from "../../ground/values/value.ts";
import { layoutIndexOf } from "../layout-index/layout-index.ts";
import type { ReadContext } from "../operation-context.ts";
import type { ConnectionStep, GroupStep, LinkStep } from "../plan/selection.ts";
import type { BoundAggregate, BoundConnection, BoundGroups, BoundLevel } from "./bind.ts";
import { concurrently } from "./concurrently.ts";
import { type HiddenRows, maskRows } from "./mask.ts";
import { measure } from "./masked-measures.ts";
import { findOrdered, followOrdered, type OrderingRequest } from "./masked-order.ts";
import { readComputed } from "./read-computed.ts";
import { readPages } from "./read-connection.ts";
import { type GroupSource, readGroupLists } from "./read-groups.ts";
import { type ComputedColumn, type ConnectionRows, emptyBatch, type GroupRows, type LinkRows, type PlaceRows, type Rows, textsOf } from "./rows.ts";
import { selects, sourcesOf } from "./sources.ts";
import { visibleSnapshot } from "./visible-snapshot.ts";

/** The level's nodes among all of its types: filtered, ordered, cut. */
export function findRows(bound: BoundLevel, context: ReadContext): MaybePromise<Rows> {
  if (bound.types.length === 0 || bound.where.kind === "none") return readBelow(bound, emptyBatch(bound.columns.length), context);
  const request = { types: bound.types, where: bound.where, fields: bound.columns, ...cutOf(bound) };
  return andThen(findOrdered(request, ordering(bound, context)), (batch) => readBelow(bound, batch, context));
}

export function ordering({ masks, related }: BoundLevel, { snapshot, deployment, operation, budget }: ReadContext): OrderingRequest {
  const index = layoutIndexOf(deployment.layout);
  const visible = () => visibleSnapshot(snapshot, operation, budget);
  return { snapshot, masks, budget, kindOf: (name) => index.kindOf(name), related: related && { keys: related, visible, budget } };
}

function cutOf({ order, page }: BoundLevel) {
  return { ...(order.length > 0 ? { order } : {}), ...(page ? { page } : {}) };
}

/** Masks loaded nodes for the caller and reads everything below them. */
export function readBelow(bound: BoundLevel, batch: Batch, context: ReadContext): MaybePromise<Rows> {
  const { masks, types, columns, level } = bound;
  context.budget.show(batch.uids.length);
  if (!masks) return readVisible(bound, { batch, hidden: undefined }, context);
  const others = [...level.links, ...level.aggregates, ...level.connections, ...level.groups].map((step) => step.field.stored);
  const masked = maskRows(batch, { masks, types, columns, others, snapshot: context.snapshot });
  return andThen(masked, (shown) => readVisible(bound, shown, context));
}

function readVisible(bound: BoundLevel, { batch, hidden }: Shown, context: ReadContext): MaybePromise<Rows> {
  const { level } = bound;
  if (level.links.length + level.aggregates.length + level.connections.length + level.groups.length + level.computed.length === 0) {
    return { bound, batch, links: [], aggregates: [], connections: [], groups: [], computed: [], hidden };
  }
  const shown = { batch, hidden };
  const links: LinkRows[] = [];
  const aggregates: (readonly (MeasureRow | undefined)[])[] = [];
  const connections: ConnectionRows[] = [];
  const groups: GroupRows[] = [];
  const computed: ComputedColumn[] = [];
  const tasks = [
    ...level.links.map((step, i) => () => andThen(readLink({ step, bound: boundAt(bound, i) }, shown, context), keepAt(links, i))),
    ...bound.aggregates.map((each, i) => () => andThen(readAggregate(each, shown, context), keepAt(aggregates, i))),
    ...bound.connections.map((each, i) => () => andThen(readLinkPages(each, level.connections[i], shown, context), keepAt(connections, i))),
    ...bound.groups.map((each, i) => () => andThen(readLinkGroups(each, level.groups[i], shown, context), keepAt(groups, i))),
    ...level.computed.map((step, i) => () => readComputed(step, { bound, batch, keep: keepAt(computed, i) }, context)),
  ];
  return andThen(concurrently(tasks), () => ({ bound, batch, links, aggregates, connections, groups, computed, hidden }));
}

interface Shown {
  readonly batch: Batch;
  readonly hidden: HiddenRows | undefined;
}

function keepAt<T>(list: T[], place: number): (value: T) => void {
  return (value) => {
    list[place] = value;
  };
}

function boundAt(bound: BoundLevel, link: number): BoundLevel {
  const below = bound.links[link];
  if (!below) throw new QuernError("INTERNAL", "A level was bound without its links.");
  return below;
}

interface Link {
  readonly step: LinkStep;
  readonly bound: BoundLevel;
}

function readLink(link: Link, shown: Shown, context: ReadContext): MaybePromise<LinkRows> {
  const { step, bound } = link;
  const { batch } = shown;
  const isEmpty = batch.uids.length === 0 || bound.types.length === 0 || bound.where.kind === "none";
  if (isEmpty) return andThen(readBelow(bound, emptyBatch(bound.columns.length), context), (rows) => noPartners(step, batch, rows));
  if (step.column !== undefined && bound.where.kind === "all") return loadPartners(link, batch, context);
  return followLink(link, shown, context);
}

function noPartners(step: LinkStep, batch: Batch, rows: Rows): LinkRows {
  const count = batch.uids.length;
  if (!step.many) return { kind: "one", rowOf: new Array<number>(count).fill(-1), rows, texts: [] };
  return { kind: "many", sourceOf: undefined, starts: new Array<number>(count + 1).fill(0), partners: [], rows, texts: [] };
}

/** Partners stand in a column already: each distinct one is loaded once. */
function loadPartners({ step, bound }: Link, batch: Batch, context: ReadContext): MaybePromise<LinkRows> {
  const partners = batch.columns[step.column ?? -1] ?? [];
  const uids: Uid[] = [];
  const seen = new Set<Uid>();
  for (let row = 0; row < partners.length; row++) {
    const partner = partners[row];
    if (typeof partner !== "number" || seen.has(partner) || !selects(step, batch, row)) continue;
    seen.add(partner);
    uids.push(partner);
  }
  const loaded = uids.length === 0 ? emptyBatch(bound.columns.length) : context.snapshot.load({ uids, types: bound.types, fields: bound.columns });
  return andThen(loaded, (nodes) =>
    andThen(readBelow(bound, nodes, context), (rows): LinkRows => {
      const rowOfUid = new Map<Uid, number>();
      for (let row = 0; row < nodes.uids.length; row++) rowOfUid.set(nodes.uids[row] ?? -1, row);
      const rowOf = partners.map((partner, row) => (typeof partner === "number" && selects(step, batch, row) ? (rowOfUid.get(partner) ?? -1) : -1));
      return { kind: "one", rowOf, rows, texts: textsOf(rows, rowOf.length) };
    }),
  );
}

function followLink({ step, bound }: Link, { batch, hidden }: Shown, context: ReadContext): MaybePromise<LinkRows> {
  const { from, sourceOf } = sourcesOf(step, batch, hidden?.get(step.field.stored));
  const where = bound.where.kind === "all" ? {} : { where: bound.where };
  const request = { from, end: step.field.stored, types: bound.types, fields: bound.columns, ...where, ...cutOf(bound) };
  return andThen(followOrdered(request, ordering(bound, context)), (links) =>
    andThen(readBelow(bound, links.nodes, context), (rows): LinkRows => {
      if (step.many) return { kind: "many", sourceOf, starts: links.starts, partners: links.rows, rows, texts: textsOf(rows, links.rows.length) };
      const rowOf = batch.uids.map((_, row) => firstPartner(links, sourceOf ? (sourceOf[row] ?? -1) : row));
      return { kind: "one", rowOf, rows, texts: textsOf(rows, links.rows.length) };
    }),
  );
}

function firstPartner({ starts, rows }: Links, source: number): number {
  const start = starts[source];
  return start === undefined || start === starts[source + 1] ? -1 : (rows[start] ?? -1);
}

function readAggregate(
  { step, types, where, denied, masks }: BoundAggregate,
  { batch, hidden }: Shown,
  context: ReadContext,
): MaybePromise<readonly (MeasureRow | undefined)[]> {
  const { from, sourceOf } = sourcesOf(step, batch, hidden?.get(step.field.stored));
  if (denied || hidden?.get(step.field.stored)?.isUnreadable) return batch.uids.map(() => []);
  const { measures } = step.measures;
  // Of a row that hides its links there is nothing to count.
  const nothing: MeasureRow | undefined = hidden?.has(step.field.stored) ? measures.map(({ kind }) => (kind === "count" ? 0 : undefined)) : undefined;
  if (from.length === 0) return batch.uids.map(() => nothing);
  const over = { from, end: step.field.stored, types, ...(where.kind === "all" ? {} : { where }) };
  return andThen(measure({ over, measures }, masks, context.snapshot), (measured) =>
    sourceOf ? sourceOf.map((source) => measured[source] ?? nothing) : measured,
  );
}

function readLinkPages(
  bound: BoundConnection,
  step: ConnectionStep | undefined,
  { batch, hidden }: Shown,
  context: ReadContext,
): MaybePromise<ConnectionRows> {
  if (!step) throw new QuernError("INTERNAL", "A connection was bound without its step.");
  const { from, sourceOf } = sourcesOf(step, batch, hidden?.get(step.field.stored));
  // Rows that hide their links show a page of nothing.
  const pageOf = batch.uids.map((_, row) => (selects(step, batch, row) ? (sourceOf?.[row] ?? row) : undefined));
  return readConnection(bound, { from: { uids: from, end: step.field.stored }, pageOf }, context);
}

interface ConnectionSource {
  readonly from?: { readonly uids: readonly Uid[]; readonly end: EndName };
  readonly pageOf: readonly (number | undefined)[];
}

/** The pages, and what they show of their nodes. */
export function readConnection(bound: BoundConnection, { from, pageOf }: ConnectionSource, context: ReadContext): MaybePromise<ConnectionRows> {
  const [level] = bound.places;
  if (!level) throw new QuernError("INTERNAL", "A connection was bound without a level.");
  const place = { ordering: ordering(level, context), ...(from ? { from } : {}) };
  return andThen(readPages(bound, place, context), (pages) => {
    const uids = [...new Set(pages.pages.flatMap(({ rows }) => rows.map(({ uid }) => uid)))];
    return andThen(concurrently(bound.places.map((each) => () => readPlace(each, uids, context))), (places) => ({ ...pages, bound, pageOf, places }));
  });
}

function readLinkGroups(bound: BoundGroups, step: GroupStep | undefined, { batch, hidden }: Shown, context: ReadContext): MaybePromise<GroupRows> {
  if (!step) throw new QuernError("INTERNAL", "Groups were bound without their step.");
  const { from, sourceOf } = sourcesOf(step, batch, hidden?.get(step.field.stored));
  const listOf = batch.uids.map((_, row) => (selects(step, batch, row) ? (sourceOf?.[row] ?? row) : undefined));
  return readGroups(bound, { source: { from, end: step.field.stored }, listOf }, context);
}

interface GroupPlace {
  readonly source?: GroupSource;
  readonly listOf: readonly (number | undefined)[];
}

/** The groups, and what they show of the objects of their keys. */
export function readGroups(bound: BoundGroups, { source, listOf }: GroupPlace, context: ReadContext): MaybePromise<GroupRows> {
  return andThen(readGroupLists(bound, source, context), ({ by, lists }) => {
    context.budget.show(lists.reduce((sum, { length }) => sum + length, 0));
    const asked = bound.selection.links.map(({ field }, i) => () => {
      const key = by.indexOf(field.stored);
      const uids = new Set(lists.flatMap((groups) => groups.flatMap(({ keys }) => (typeof keys[key] === "number" ? [keys[key]] : []))));
      return readPartners(bound.links[i], [...uids], context);
    });
    return andThen(concurrently(asked), (places) => ({ bound, listOf, by, lists, places }));
  });
}

/** Partners that fail what `@cascade` asks of them are not shown. */
function readPartners(bound: BoundLevel | undefined, uids: readonly Uid[], context: ReadContext): MaybePromise<PlaceRows> {
  if (!bound) throw new QuernError("INTERNAL", "Groups were bound without the objects of their keys.");
  const { types, where, columns } = bound;
  if (where.kind === "all" || uids.length === 0 || types.length === 0) return readPlace(bound, uids, context);
  const sorted = [...uids].sort((a, b) => a - b);
  const passing = context.snapshot.find({ types, where: and({ kind: "uids", uids: sorted }, where), fields: columns });
  return andThen(passing, (batch) => placeOf(bound, batch, context));
}

function readPlace(bound: BoundLevel, uids: readonly Uid[], context: ReadContext): MaybePromise<PlaceRows> {
  const { types, columns } = bound;
  const loaded = uids.length === 0 || types.length === 0 ? emptyBatch(columns.length) : context.snapshot.load({ uids, types, fields: columns });
  return andThen(loaded, (batch) => placeOf(bound, batch, context));
}

function placeOf(bound: BoundLevel, batch: Batch, context: ReadContext): MaybePromise<PlaceRows> {
  return andThen(readBelow(bound, batch, context), (rows) => ({ rows, rowOf: new Map(batch.uids.map((uid, row) => [uid, row])) }));
}
