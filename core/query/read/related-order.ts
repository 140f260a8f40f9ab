// Orders by what is behind links. The keys are read link by link for all nodes that may be shown, and the rows are sorted here: a storage
// orders by values of the nodes themselves.

import type { Batch, Column, FindRequest, FollowRequest, Links, OrderKey, Snapshot } from "../../contracts/storage.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { FieldName, MaybePromise, TypeName, Uid, ValueKind } from "../../ground/values/value.ts";
import { type OrderedRow, rowComparator, topK } from "../evaluate/top.ts";
import type { Masks } from "../plan/masks.ts";
import { isOwnValue, type SortKey } from "../plan/order-and-page.ts";
import { concurrently } from "./concurrently.ts";
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
export function findRelated({ order: _, page, fields, ...request }: FindRequest, related: RelatedRequest): MaybePromise<Batch> {
  const own = ownFields(related.keys);
  return andThen(related.snapshot.find({ ...request, fields: own }), (batch) =>
    andThen(keyColumns(batch, { ...related, types: request.types, columns: own }), (columns) => {
      const chosen = topK(rowsOf(batch, columns), comparatorOf(related), page ?? {});
      return related.snapshot.load({ uids: chosen.map(({ uid }) => uid), types: request.types, fields });
    }),
  );
}

/** All rows in the order of the keys. */
export function rankFound(request: Omit<FindRequest, "fields">, related: RelatedRequest): MaybePromise<readonly OrderedRow[]> {
  const own = ownFields(related.keys);
  return andThen(related.snapshot.find({ ...request, fields: own }), (batch) =>
    andThen(keyColumns(batch, { ...related, types: request.types, columns: own }), (columns) =>
      [...rowsOf(batch, columns)].sort(comparatorOf(related)),
    ),
  );
}

/** All partners of each source in the order of the keys. */
export function rankFollowed(request: Omit<FollowRequest, "fields">, related: RelatedRequest): MaybePromise<readonly (readonly OrderedRow[])[]> {
  const own = ownFields(related.keys);
  return andThen(related.snapshot.follow({ ...request, fields: own }), ({ starts, rows: places, nodes }) => {
    const types = request.types ?? [...new Set(nodes.types)];
    return andThen(keyColumns(nodes, { ...related, types, columns: own }), (columns) => {
      const rows = rowsOf(nodes, columns);
      const compare = comparatorOf(related);
      return request.from.map((_, source) =>
        places
          .slice(starts[source], starts[source + 1])
          .flatMap((row) => rows[row] ?? [])
          .sort(compare),
      );
    });
  });
}

/** The same for the partners of each source. */
export function followRelated({ order: _, page, fields, ...request }: FollowRequest, related: RelatedRequest): MaybePromise<Links> {
  const own = ownFields(related.keys);
  return andThen(related.snapshot.follow({ ...request, fields: [...fields, ...own] }), (links) => {
    const types = request.types ?? [...new Set(links.nodes.types)];
    const batch = { ...links.nodes, columns: links.nodes.columns.slice(fields.length) };
    return andThen(keyColumns(batch, { ...related, types, columns: own }), (columns) => {
      const rows = rowsOf(batch, columns);
      const compare = comparatorOf(related);
      const starts = [0];
      const shown: number[] = [];
      for (let source = 0; source + 1 < links.starts.length; source++) {
        const partners = links.rows.slice(links.starts[source], links.starts[source + 1]).flatMap((row) => rows[row] ?? []);
        for (const { place } of topK(partners, compare, page ?? {})) shown.push(place);
        starts.push(shown.length);
      }
      return { starts, rows: shown, nodes: { ...links.nodes, columns: links.nodes.columns.slice(0, fields.length) } };
    });
  });
}

function ownFields(keys: readonly SortKey[]): readonly FieldName[] {
  return keys.filter(isOwnValue).map(({ by }) => by.field);
}

interface Row extends OrderedRow {
  readonly place: number;
}

function rowsOf({ uids }: Batch, columns: readonly Column[]): readonly Row[] {
  return uids.map((uid, place) => ({ uid, place, keys: columns.map((column) => column[place]) }));
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
function keyColumns(batch: Batch, { keys, visible, masks, snapshot, types, columns }: KeyRequest): MaybePromise<readonly Column[]> {
  const shown = masks ? andThen(maskRows(batch, { masks, types, columns, others: [], snapshot }), (masked) => masked.batch) : batch;
  return andThen(shown, (own) =>
    andThen(visible(), (seen) =>
      concurrently(
        keys.map((key) => (): MaybePromise<Column> => {
          if (isOwnValue(key)) return own.columns[columns.indexOf(key.by.field)] ?? [];
          return valuesBehind(batch.uids, key, seen);
        }),
      ),
    ),
  );
}

/** The value of one key for each of `uids`. */
function valuesBehind(uids: readonly Uid[], { path, by }: SortKey, seen: Snapshot): MaybePromise<Column> {
  if (uids.length === 0) return [];
  const [link, ...rest] = path;
  if (!link) return "count" in by ? counts(uids, by.count.stored, seen) : [];
  const isLast = rest.length === 0 && "field" in by;
  return andThen(seen.follow({ from: uids, end: link.stored, fields: isLast ? [by.field] : [] }), ({ starts, rows, nodes }) => {
    const found = isLast ? (nodes.columns[0] ?? []) : valuesBehind(nodes.uids, { path: rest, by }, seen);
    return andThen(found, (values) =>
      uids.map((_, source) => (starts[source] === starts[source + 1] ? undefined : values[rows[starts[source] ?? 0] ?? 0])),
    );
  });
}

function counts(from: readonly Uid[], end: string, seen: Snapshot): MaybePromise<Column> {
  return andThen(seen.aggregate({ over: { from, end }, measures: [{ kind: "count" }] }), (rows) => rows.map(([count]) => count ?? 0));
}
