// Orders by what is behind links. The keys are read link by link for all nodes that may be shown, and the rows are sorted here, in turns: a
// storage orders by values of the nodes themselves.

import type { FindRequest, FollowRequest, OrderKey, Page } from "../../contracts/storage/requests.ts";
import type { Batch, Column, Links } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { FieldName, MaybePromise, TypeName, Uid, ValueKind } from "../../ground/values/value.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import { type OrderedRow, rowComparator } from "../evaluate/top.ts";
import { topInSteps } from "../evaluate/top-in-steps.ts";
import type { Masks } from "../level/masks.ts";
import { isOwnValue, type SortKey } from "../level/sort-key.ts";
import { linksOf, partnersOf } from "../sorting/links-of.ts";
import { mapped } from "../sorting/mapped.ts";
import { maskRows } from "./mask.ts";

export interface RelatedOrder {
  readonly keys: readonly SortKey[];
  /** What the caller may see: no other partner decides a place. */
  readonly visible: () => MaybePromise<Snapshot>;
}

export interface RelatedRequest extends RelatedOrder {
  readonly snapshot: Snapshot;
  readonly masks: Masks | undefined;
  readonly kindOf: (field: FieldName) => ValueKind;
}

/** The rows in the order of the keys, cut to the request's page. */
export function* findRelated({ order: _, page, fields, ...request }: FindRequest, related: RelatedRequest): Work<Batch> {
  const chosen = yield* rankedRows(request, related, page);
  return yield* wait(related.snapshot.load({ uids: chosen.map(({ uid }) => uid), types: request.types, fields }));
}

/** All rows in the order of the keys. */
export function rankFound(request: Omit<FindRequest, "fields">, related: RelatedRequest): Work<readonly OrderedRow[]> {
  return rankedRows(request, related, undefined);
}

function* rankedRows(request: Omit<FindRequest, "fields">, related: RelatedRequest, page: Page | undefined): Work<readonly Row[]> {
  const own = ownFields(related.keys);
  const batch = yield* wait(related.snapshot.find({ ...request, fields: own }));
  const rows = yield* rowsOf(batch, yield* keyColumns(batch, { ...related, types: request.types, columns: own }));
  return yield* topInSteps(rows, cutBy(related, page));
}

/** All partners of each source in the order of the keys. */
export function* rankFollowed(request: Omit<FollowRequest, "fields">, related: RelatedRequest): Work<readonly (readonly OrderedRow[])[]> {
  return (yield* rankedPartners({ ...request, fields: [] }, related, undefined)).partners;
}

/** The same for the partners of each source. */
export function* followRelated({ order: _, page, ...request }: FollowRequest, related: RelatedRequest): Work<Links> {
  const { partners, nodes } = yield* rankedPartners(request, related, page);
  return { ...linksOf(partners), nodes: { ...nodes, columns: nodes.columns.slice(0, request.fields.length) } };
}

interface RankedPartners {
  /** Of each source. */
  readonly partners: readonly (readonly Row[])[];
  readonly nodes: Batch;
}

function* rankedPartners(request: FollowRequest, related: RelatedRequest, page: Page | undefined): Work<RankedPartners> {
  const own = ownFields(related.keys);
  const links = yield* wait(related.snapshot.follow({ ...request, fields: [...request.fields, ...own] }));
  const { starts, nodes } = links;
  const types = request.types ?? [...new Set(nodes.types)];
  const batch = { ...nodes, columns: nodes.columns.slice(request.fields.length) };
  const rows = yield* rowsOf(batch, yield* keyColumns(batch, { ...related, types, columns: own }));
  const cut = cutBy(related, page);
  const partners: (readonly Row[])[] = [];
  for (let source = 0; source + 1 < starts.length; source++) {
    yield;
    const ofSource = partnersOf(links, source).flatMap((row) => rows[row] ?? []);
    partners.push(yield* topInSteps(ofSource, cut));
  }
  return { partners, nodes };
}

function cutBy(related: RelatedRequest, page: Page | undefined) {
  const { first, offset = 0 } = page && !("last" in page) ? page : {};
  return { compare: comparatorOf(related), page: { offset, first } };
}

function ownFields(keys: readonly SortKey[]): readonly FieldName[] {
  return keys.filter(isOwnValue).map(({ by }) => by.field);
}

interface Row extends OrderedRow {
  readonly place: number;
}

function rowsOf({ uids }: Batch, columns: readonly Column[]): Work<readonly Row[]> {
  return mapped(uids, (uid, place) => ({ uid, place, keys: columns.map((column) => column[place]) }));
}

/** Compares rows by the keys. Counts are compared as integers. */
export function comparatorOf({ keys, kindOf }: Pick<RelatedRequest, "keys" | "kindOf">) {
  const order = keys.map(({ by }, place): OrderKey => ({ ...by, field: String(place) }));
  return rowComparator(order, ({ field }) => {
    const by = keys[Number(field)]?.by;
    return by && "field" in by ? kindOf(by.field) : "int";
  });
}

interface KeyRequest extends RelatedRequest {
  readonly types: readonly TypeName[];
  /** Of the batch. */
  readonly columns: readonly FieldName[];
}

/** One column for each key, aligned with the rows of `batch`. */
function* keyColumns(batch: Batch, { keys, visible, masks, snapshot, types, columns }: KeyRequest): Work<readonly Column[]> {
  const own = masks ? (yield* wait(maskRows(batch, { masks, types, columns, others: [], snapshot }))).batch : batch;
  const seen = yield* wait(visible());
  return yield* together(keys.map((key) => keyColumn(key, own.columns[isOwnValue(key) ? columns.indexOf(key.by.field) : -1], batch.uids, seen)));
}

function* keyColumn(key: SortKey, own: Column | undefined, uids: readonly Uid[], seen: Snapshot): Work<Column> {
  return isOwnValue(key) ? (own ?? []) : yield* valuesBehind(uids, key, seen);
}

/** The value of one key for each of `uids`. */
function* valuesBehind(uids: readonly Uid[], { path, by }: SortKey, seen: Snapshot): Work<Column> {
  if (uids.length === 0) return [];
  const [link, ...rest] = path;
  if (!link) return "count" in by ? yield* counts(uids, by.count.stored, seen) : [];
  const isLast = rest.length === 0 && "field" in by;
  const { starts, rows, nodes } = yield* wait(seen.follow({ from: uids, end: link.stored, fields: isLast ? [by.field] : [] }));
  const values = isLast ? (nodes.columns[0] ?? []) : yield* valuesBehind(nodes.uids, { path: rest, by }, seen);
  const behind = (source: number) => (starts[source] === starts[source + 1] ? undefined : values[rows[starts[source] ?? 0] ?? 0]);
  return yield* mapped(uids, (_, source) => behind(source));
}

function* counts(from: readonly Uid[], end: string, seen: Snapshot): Work<Column> {
  const rows = yield* wait(seen.aggregate({ over: { from, end }, measures: [{ kind: "count" }] }));
  return yield* mapped(rows, ([count]) => count ?? 0);
}
