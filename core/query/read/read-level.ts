// Reads the nodes of a bound level and everything below, level by level: one call a link, an aggregate, a computed field.

import { getNamedType, getNullableType, isLeafType, isListType } from "graphql";
import type { ComputeContext, Parent } from "../../contracts/plugin/computed-field.ts";
import type { AnswerError } from "../../contracts/plugin/root-answer.ts";
import { and } from "../../contracts/predicate.ts";
import type { Batch, Links, MeasureRow } from "../../contracts/storage.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { AnswerValue, EndName, MaybePromise, Uid } from "../../ground/values/value.ts";
import { layoutIndexOf } from "../layout-index/layout-index.ts";
import type { ReadContext, ResponseError } from "../operation-context.ts";
import { givenVariables } from "../plan/given-variables.ts";
import { locationOf } from "../plan/plan-operation.ts";
import type { ComputedMember, ComputedStep, ConnectionStep, GroupStep, LinkStep } from "../plan/selection.ts";
import { endless, pluginError } from "./aside.ts";
import type { BoundAggregate, BoundConnection, BoundGroups, BoundLevel } from "./bind.ts";
import { completeValue, isLong } from "./complete-json.ts";
import { concurrently } from "./concurrently.ts";
import { type HiddenField, type HiddenRows, maskRows } from "./mask.ts";
import { measure } from "./masked-measures.ts";
import { findOrdered, followOrdered, type OrderingRequest } from "./masked-order.ts";
import { nestedQuery } from "./nested-request.ts";
import { type ConnectionPages, readPages } from "./read-connection.ts";
import { type GroupLists, type GroupSource, readGroupLists } from "./read-groups.ts";
import { visibleSnapshot } from "./visible-snapshot.ts";

/** The objects of one level with everything below them. */
export interface Rows {
  readonly bound: BoundLevel;
  readonly batch: Batch;
  /** Aligned with the level's links, aggregates and computed fields. */
  readonly links: readonly LinkRows[];
  /** By row; undefined for rows whose type does not select it. */
  readonly aggregates: readonly (readonly (MeasureRow | undefined)[])[];
  readonly connections: readonly ConnectionRows[];
  readonly groups: readonly GroupRows[];
  readonly computed: readonly ComputedColumn[];
  /** What is missing in the rows because the caller may not see it; undefined: nothing. */
  readonly hidden: HiddenRows | undefined;
}

/** Pages, and the nodes that they show. */
export interface ConnectionRows extends ConnectionPages {
  readonly bound: BoundConnection;
  /** Of a link: the page of each parent row; undefined: the type does not select it. */
  readonly pageOf: readonly (number | undefined)[];
  /** Aligned with the places of the selection. */
  readonly places: readonly PlaceRows[];
}

/** Groups, and the objects of their keys. */
export interface GroupRows {
  readonly bound: BoundGroups;
  /** Of a link: the list of each parent row; undefined: the type does not select it. */
  readonly listOf: readonly (number | undefined)[];
  /** By which fields and ends they are grouped. */
  readonly by: GroupLists["by"];
  readonly lists: GroupLists["lists"];
  /** Aligned with the links of the selection. */
  readonly places: readonly PlaceRows[];
}

export interface PlaceRows {
  readonly rows: Rows;
  readonly rowOf: ReadonlyMap<Uid, number>;
}

/** The values of a computed field, by row. */
export interface ComputedColumn {
  readonly values: readonly (AnswerValue | undefined)[];
  /** What the plugin reports about the rows' values; undefined: nothing. */
  readonly errors: ReadonlyMap<number, readonly AnswerError[]> | undefined;
  /** The texts of long values, which were written in turns. Undefined: none is long. */
  readonly written: ReadonlyMap<number, WrittenValue> | undefined;
}

/** The text of a value; undefined after an error in a non-null position. Paths of its errors begin at the value. */
export interface WrittenValue {
  readonly text: string | undefined;
  readonly errors: readonly ResponseError[];
}

export type LinkRows =
  /** `rowOf[r]` is the partner's row of parent `r`, -1 without one. */
  | { readonly kind: "one"; readonly rowOf: readonly number[]; readonly rows: Rows; readonly texts: Texts }
  /** Partners of parent `r`: `partners[starts[s]]` up to before `partners[starts[s + 1]]` with `s = sourceOf?.[r] ?? r`. */
  | {
      readonly kind: "many";
      readonly sourceOf: readonly number[] | undefined;
      readonly starts: readonly number[];
      readonly partners: readonly number[];
      readonly rows: Rows;
      readonly texts: Texts;
      /** Finished lists by source, where they are so long that they are written ahead. */
      joined?: ReadonlyMap<number, string>;
    };

/** Finished objects by row, kept because several parents show them; of no length when none does. Filled while the answer is written. */
export type Texts = (string | undefined)[];

function textsOf(rows: Rows, shown: number): Texts {
  const count = rows.batch.uids.length;
  return shown > count ? new Array<string | undefined>(count).fill(undefined) : [];
}

export const emptyBatch = (columns: number): Batch => ({ uids: [], types: [], columns: Array.from({ length: columns }, () => []) });

/** The level's nodes among all of its types: filtered, ordered, cut. */
export function findRows(bound: BoundLevel, context: ReadContext): MaybePromise<Rows> {
  if (bound.types.length === 0 || bound.where.kind === "none") return readBelow(bound, emptyBatch(bound.columns.length), context);
  const request = { types: bound.types, where: bound.where, fields: bound.columns, ...cutOf(bound) };
  return andThen(findOrdered(request, ordering(bound, context)), (batch) => readBelow(bound, batch, context));
}

export function ordering({ masks, related }: BoundLevel, { snapshot, deployment, operation, budget }: ReadContext): OrderingRequest {
  const index = layoutIndexOf(deployment.layout);
  const visible = () => visibleSnapshot(snapshot, operation);
  return { snapshot, masks, kindOf: (name) => index.kindOf(name), related: related && { keys: related, visible, budget } };
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

type TypedStep = Pick<LinkStep, "types" | "everyType">;

function selects(step: TypedStep, batch: Batch, row: number): boolean {
  return step.everyType || step.types.has(batch.types[row] ?? "");
}

interface Sources {
  readonly from: readonly Uid[];
  /** Place in `from` by row, -1 for rows whose type does not select the field; undefined: all do. */
  readonly sourceOf: readonly number[] | undefined;
}

/** @param hidden the rows whose link the caller may not see */
function sourcesOf(step: TypedStep, batch: Batch, hidden?: HiddenField): Sources {
  if (step.everyType && !hidden) return { from: batch.uids, sourceOf: undefined };
  const from: Uid[] = [];
  const sourceOf = batch.uids.map((uid, row) => (selects(step, batch, row) && !hidden?.isHidden(row) ? from.push(uid) - 1 : -1));
  return { from, sourceOf };
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

interface Computing {
  readonly bound: BoundLevel;
  readonly batch: Batch;
  readonly keep: (column: ComputedColumn) => void;
}

/** A slow field waits until everything else is read. */
function readComputed(step: ComputedStep, { bound, batch, keep }: Computing, context: ReadContext): MaybePromise<void> {
  const given = bound.given?.get(step.computed.field.name);
  // Values that came with the nodes replace computed ones.
  if (given) return keep({ values: batch.uids.map((uid) => given.get(uid) ?? null), errors: undefined, written: undefined });
  const work = () =>
    andThen(
      andThen(compute(step, { bound, batch }, context), (column) => writeLong(column, step, { bound, batch, context })),
      keep,
    );
  if (!step.computed.slow) return work();
  context.aside.defer(work);
}

function compute(step: ComputedStep, { bound, batch }: Pick<Computing, "bound" | "batch">, context: ReadContext): MaybePromise<ComputedColumn> {
  const { sourceOf } = sourcesOf(step, batch);
  const needs = step.needs.map((column) => ({ name: bound.columns[column] ?? "", stored: batch.columns[column] ?? [] }));
  const rows: number[] = [];
  const parents: Parent[] = [];
  for (let row = 0; row < batch.uids.length; row++) {
    if (!selects(step, batch, row)) continue;
    const represented = bound.represented?.[row];
    rows.push(row);
    const values = represented
      ? needs.map(({ name, stored }) => (represented.has(name) ? represented.get(name) : stored[row]))
      : needs.map(({ stored }) => stored[row]);
    parents.push({ uid: batch.uids[row] ?? 0, type: batch.types[row] ?? "", values });
  }
  if (parents.length === 0) return { values: batch.uids.map(() => undefined), errors: undefined, written: undefined };
  const args = step.arguments.values(context.variables);
  return andThen(step.computed.compute(parents, args, context.request, new PlaceContext(step, context)), (answer) => {
    const values = "errors" in answer ? answer.values : answer;
    return {
      values: sourceOf ? sourceOf.map((source) => values[source]) : values,
      errors: "errors" in answer && answer.errors.length > 0 ? errorsByRow(answer.errors, { step, rows }, context) : undefined,
      written: undefined,
    };
  });
}

interface ComputedRows extends Pick<Computing, "bound" | "batch"> {
  readonly context: ReadContext;
}

/** Long values are written now, in turns: the objects around them are written in one go. */
function writeLong(column: ComputedColumn, step: ComputedStep, { bound, batch, context }: ComputedRows): MaybePromise<ComputedColumn> {
  if (!column.values.some((value) => typeof value === "object" && value !== null)) return column;
  if (isLeafType(getNamedType(step.selected.type)) && !isListType(getNullableType(step.selected.type))) return column;
  const long = column.values.flatMap((value, row) => (isLong(value) ? [row] : []));
  if (long.length === 0) return column;
  const written = new Map<number, WrittenValue>();
  const place = bound.level.computed.indexOf(step);
  const writeAll = async (): Promise<ComputedColumn> => {
    for (const row of long) {
      const shape = bound.level.shapes.get(batch.types[row] ?? "");
      const member = shape?.members.find((each): each is ComputedMember => each.kind === "computed" && each.computed === place);
      if (!member) continue;
      const errors: ResponseError[] = [];
      const text = await completeValue({ selection: member.json, errors, budget: context.budget }, column.values[row], []);
      written.set(row, { text, errors });
    }
    return { ...column, written };
  };
  return writeAll();
}

/** Asking for the signal makes one. */
class PlaceContext implements ComputeContext {
  readonly snapshot: ComputeContext["snapshot"];
  readonly selection: ComputeContext["selection"];
  readonly #read: ReadContext;

  constructor({ selected: { key, nodes, fragments, parentType, type, schema } }: ComputedStep, read: ReadContext) {
    this.snapshot = read.snapshot;
    this.selection = { key, nodes, fragments, parentType, type, schema, variables: givenVariables(read.variables) };
    this.#read = read;
  }

  readonly execute: ComputeContext["execute"] = (request) => nestedQuery(request, this.#read.operation);

  get signal(): AbortSignal {
    return this.#read.budget.signal ?? endless;
  }
}

interface ComputedPlace {
  readonly step: ComputedStep;
  /** The rows of the parents. */
  readonly rows: readonly number[];
}

/** Errors about no single parent are errors of the root field. */
function errorsByRow(errors: readonly AnswerError[], { step, rows }: ComputedPlace, { aside, rootKey }: ReadContext): ComputedColumn["errors"] {
  const byRow = new Map<number, AnswerError[]>();
  for (const error of errors) {
    const row = error.parent === undefined ? undefined : rows[error.parent];
    if (row === undefined) aside.report(pluginError(error, locationOf(step.selected.nodes[0]), [rootKey]));
    else byRow.set(row, [...(byRow.get(row) ?? []), error]);
  }
  return byRow;
}
