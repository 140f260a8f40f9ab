// Orders by what is behind links. The keys are read link by link for all nodes that may be shown, and the rows are sorted here, in turns: a
// storage orders by values of the nodes themselves.

import type { FindRequest, FollowRequest, OrderKey, Page } from "../../contracts/storage/requests.ts";
import type { Batch, Column, Links } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { FieldName, MaybePromise, TypeName, Uid, ValueKind } from "../../ground/values/value.ts";
import { type OrderedRow, rowComparator } from "../evaluate/top.ts";
import { concurrently } from "../level/concurrently.ts";
import type { Masks } from "../level/masks.ts";
import { isOwnValue, type SortKey } from "../level/sort-key.ts";
import type { OperationBudget } from "../operation-context.ts";
import { eachInTurns, mapInTurns } from "./each-in-turns.ts";
import { linksOf, partnersOf } from "./links-of.ts";
import { maskRows } from "./mask.ts";
import { topInTurns } from "./top-in-turns.ts";

export interface RelatedOrder {
  readonly keys: readonly SortKey[];
  /** What the caller may see: no other partner decides a place. */
  readonly visible: () => MaybePromise<Snapshot>;
  readonly budget: OperationBudget;
}

export interface RelatedRequest extends RelatedOrder {
  readonly snapshot: Snapshot;
  readonly masks: Masks | undefined;
  readonly kindOf: (field: FieldName) => ValueKind;
}

/** The rows in the order of the keys, cut to the request's page. */
export function findRelated({ order: _, page, fields, ...request }: FindRequest, related: RelatedRequest): MaybePromise<Batch> {
  return andThen(rankedRows(request, related, page), (chosen) =>
    related.snapshot.load({ uids: chosen.map(({ uid }) => uid), types: request.types, fields }),
  );
}

/** All rows in the order of the keys. */
export function rankFound(request: Omit<FindRequest, "fields">, related: RelatedRequest): MaybePromise<readonly OrderedRow[]> {
  return rankedRows(request, related, undefined);
}

function rankedRows(request: Omit<FindRequest, "fields">, related: RelatedRequest, page: Page | undefined): MaybePromise<readonly Row[]> {
  const own = ownFields(related.keys);
  return andThen(related.snapshot.find({ ...request, fields: own }), (batch) =>
    andThen(keyColumns(batch, { ...related, types: request.types, columns: own }), (columns) =>
      andThen(rowsOf(batch, columns, related.budget), (rows) => topInTurns(rows, cutBy(related, page), related.budget)),
    ),
  );
}

/** All partners of each source in the order of the keys. */
export function rankFollowed(request: Omit<FollowRequest, "fields">, related: RelatedRequest): MaybePromise<readonly (readonly OrderedRow[])[]> {
  return andThen(rankedPartners({ ...request, fields: [] }, related, undefined), ({ partners }) => partners);
}

/** The same for the partners of each source. */
export function followRelated({ order: _, page, ...request }: FollowRequest, related: RelatedRequest): MaybePromise<Links> {
  return andThen(rankedPartners(request, related, page), ({ partners, nodes }) => ({
    ...linksOf(partners),
    nodes: { ...nodes, columns: nodes.columns.slice(0, request.fields.length) },
  }));
}

interface RankedPartners {
  /** Of each source. */
  readonly partners: readonly (readonly Row[])[];
  readonly nodes: Batch;
}

function rankedPartners(request: FollowRequest, related: RelatedRequest, page: Page | undefined): MaybePromise<RankedPartners> {
  const own = ownFields(related.keys);
  const { budget } = related;
  return andThen(related.snapshot.follow({ ...request, fields: [...request.fields, ...own] }), (links) => {
    const { starts, nodes } = links;
    const types = request.types ?? [...new Set(nodes.types)];
    const batch = { ...nodes, columns: nodes.columns.slice(request.fields.length) };
    return andThen(keyColumns(batch, { ...related, types, columns: own }), (columns) =>
      andThen(rowsOf(batch, columns, budget), (rows) => {
        const cut = cutBy(related, page);
        const sources = Array.from({ length: starts.length - 1 }, (_, source) => source);
        const rowsAt = (source: number) => partnersOf(links, source).flatMap((row) => rows[row] ?? []);
        const ranked = eachInTurns(sources, (source) => topInTurns(rowsAt(source), cut, budget), budget);
        return andThen(ranked, (partners) => ({ partners, nodes }));
      }),
    );
  });
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

function rowsOf({ uids }: Batch, columns: readonly Column[], budget: OperationBudget): MaybePromise<readonly Row[]> {
  return mapInTurns(uids, (uid, place) => ({ uid, place, keys: columns.map((column) => column[place]) }), budget);
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
function keyColumns(batch: Batch, { keys, visible, masks, snapshot, types, columns, budget }: KeyRequest): MaybePromise<readonly Column[]> {
  const shown = masks ? andThen(maskRows(batch, { masks, types, columns, others: [], snapshot }), (masked) => masked.batch) : batch;
  return andThen(shown, (own) =>
    andThen(visible(), (seen) =>
      concurrently(
        keys.map((key) => (): MaybePromise<Column> => {
          if (isOwnValue(key)) return own.columns[columns.indexOf(key.by.field)] ?? [];
          return valuesBehind(batch.uids, key, { seen, budget });
        }),
      ),
    ),
  );
}

interface Sight {
  readonly seen: Snapshot;
  readonly budget: OperationBudget;
}

/** The value of one key for each of `uids`. */
function valuesBehind(uids: readonly Uid[], { path, by }: SortKey, sight: Sight): MaybePromise<Column> {
  if (uids.length === 0) return [];
  const { seen, budget } = sight;
  const [link, ...rest] = path;
  if (!link) return "count" in by ? counts(uids, by.count.stored, sight) : [];
  const isLast = rest.length === 0 && "field" in by;
  return andThen(seen.follow({ from: uids, end: link.stored, fields: isLast ? [by.field] : [] }), ({ starts, rows, nodes }) => {
    const found = isLast ? (nodes.columns[0] ?? []) : valuesBehind(nodes.uids, { path: rest, by }, sight);
    return andThen(found, (values) => {
      const behind = (source: number) => (starts[source] === starts[source + 1] ? undefined : values[rows[starts[source] ?? 0] ?? 0]);
      return mapInTurns(uids, (_, source) => behind(source), budget);
    });
  });
}

function counts(from: readonly Uid[], end: string, { seen, budget }: Sight): MaybePromise<Column> {
  return andThen(seen.aggregate({ over: { from, end }, measures: [{ kind: "count" }] }), (rows) => mapInTurns(rows, ([count]) => count ?? 0, budget));
}
