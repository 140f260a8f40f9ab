// The stages that filter, order and cut the documents of one type, so that indexes serve them.

import type { Document } from "mongodb";
import { afterPlace, and, type Order, type Page, type Place, type Predicate, type TypeName, type ValueKind } from "../../../core/storage.ts";
import { isList } from "../../storage-kit/index.ts";
import type { FieldRuntime, LayoutRuntime } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { operandOf } from "../layout/values.ts";

export interface Sorted {
  readonly type: TypeName;
  readonly filter: Document | true;
  readonly order: Order;
  /** Only documents behind this place of the order, which has one key. */
  readonly after?: Place | undefined;
  /** The filter demands that documents are behind this place of an order of several keys: the index of the first one need not be read before it. */
  readonly from?: Place | undefined;
  /** Conditions on links, decided for one document after the other, in their order. */
  readonly probe?: Probe | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  /** The filter finds one document at most: to order it costs MongoDB a quarter of the query. */
  readonly single?: boolean;
  /** In descending order of uids. */
  readonly backwards?: boolean;
  /** The projection of each document. */
  readonly project: Document;
}

/** Stages that drop documents by their links. */
export interface Probe {
  readonly stages: readonly Document[];
  /** So many documents are tried at most; one with the property `unfinishedProperty` follows them when there are more. */
  readonly most: number | undefined;
}

export const unfinishedProperty = "_unfinished";

export function sortedStages(schema: LayoutRuntime, sorted: Sorted): Document[] {
  const { type, filter, order } = sorted;
  if (sorted.single && sorted.after === undefined)
    return [...matching(filter), ...(sorted.probe?.stages ?? []), ...cut({ ...sorted, limit: sorted.limit ?? 1 }), { $project: sorted.project }];
  const fields = order.flatMap(({ field, direction }) => {
    const runtime = schema.fields.get(field);
    return runtime === undefined ? [] : [{ field: runtime, direction }];
  });
  const [first] = fields;
  if (first === undefined) return oneRun(sorted, { _id: sorted.backwards ? -1 : 1 });
  const path = first.field.path(type);
  if (fields.length > 1) return severalKeys(sorted, fields);
  // MongoDB sorts missing values first, so they come last in descending order.
  if (first.direction === "desc" && sorted.after === undefined && sorted.from === undefined) return oneRun(sorted, { [path]: -1, _id: 1 });
  return halves(sorted, first);
}

function oneRun(sorted: Sorted, sort: Document): Document[] {
  const found = [...matching(sorted.filter), { $sort: sort }];
  const project = { $project: sorted.project };
  if (sorted.probe?.most === undefined) return [...found, ...(sorted.probe?.stages ?? []), ...cut(sorted), project];
  const enough = sorted.limit === undefined ? [] : [{ $limit: (sorted.skip ?? 0) + sorted.limit }];
  return [...probed(sorted, found), ...enough, project, ...unfinished(sorted, found), ...cut(sorted)];
}

/** The first of the documents that `found` has found and sorted, without those that the probe drops. */
function probed({ probe }: Sorted, found: readonly Document[]): Document[] {
  if (probe === undefined) return [...found];
  return [...found, ...(probe.most === undefined ? [] : [{ $limit: probe.most }]), ...probe.stages];
}

/** A mark where there are more documents than the probe tries. It is read when those that were tried do not fill the page. */
function unfinished({ probe, type }: Sorted, found: readonly Document[]): Document[] {
  if (probe?.most === undefined) return [];
  const more = [...found, { $skip: probe.most }, { $limit: 1 }, { $project: { _id: 1 } }, { $set: { [unfinishedProperty]: true } }];
  return [{ $unionWith: { coll: collectionOf(type), pipeline: more } }];
}

interface SortField {
  readonly field: FieldRuntime;
  readonly direction: "asc" | "desc";
}

/** Two sorted halves, each from an index; the second is read only when the first does not fill the page. */
function halves(sorted: Sorted, { field, direction }: SortField): Document[] {
  const { type, filter, after, from } = sorted;
  const path = field.path(type);
  const bound = after ?? from;
  const enough = sorted.limit === undefined ? [] : [{ $limit: (sorted.skip ?? 0) + sorted.limit }];
  const missing = { [path]: { $exists: false } };
  const half = (found: readonly Document[]) => [...probed(sorted, found), ...enough, { $project: sorted.project }, ...unfinished(sorted, found)];
  const without = (condition: Document) => half([...matching(filter, condition), { $sort: { _id: 1 } }]);
  const place = bound && operandOfPlace(bound, field);
  // Nodes without a value come last.
  if (bound !== undefined && place === undefined)
    return [...without({ ...missing, ...(after !== undefined && { _id: { $gt: after.uid } }) }), ...cut(sorted)];
  const withValue = valueBehind(path, { field, direction, place, after });
  return [
    ...half([...matching(filter, withValue), { $sort: { [path]: direction === "asc" ? 1 : -1, _id: 1 } }]),
    { $unionWith: { coll: collectionOf(type), pipeline: without(missing) } },
    ...cut(sorted),
  ];
}

function operandOfPlace({ keys: [value] }: Place, { kind }: FieldRuntime): unknown {
  return value === undefined || isList(value) ? undefined : operandOf(kind, value);
}

interface Bound extends SortField {
  /** Undefined: the order begins. */
  readonly place: unknown;
  /** Where the order has one key. */
  readonly after: Place | undefined;
}

/** The comparison beside the alternatives gives the index its bound: it does not read what lies before the place. */
function valueBehind(path: string, { field, direction, place, after }: Bound): Document {
  if (place === undefined) return { [path]: { $gte: lowest(field.kind) } };
  const [from, beyond] = direction === "asc" ? ["$gte", "$gt"] : ["$lte", "$lt"];
  const bound = { [path]: { [from]: place } };
  return after === undefined ? bound : { ...bound, $or: [{ [path]: { [beyond]: place } }, { _id: { $gt: after.uid } }] };
}

/** For all documents. Adds a flag for missing values: no index sorts by several fields. */
function severalKeys(sorted: Sorted, keys: readonly SortField[]): Document[] {
  const marks: Document = {};
  const sort: Document = {};
  for (const [i, { field, direction }] of keys.entries()) {
    const path = field.path(sorted.type);
    // Of a field that comes twice the first direction counts; a sort of MongoDB would take the last.
    if (path in sort) continue;
    if (direction === "asc") {
      marks[`_missing${i}`] = { $cond: [{ $gt: [`$${path}`, null] }, 0, 1] };
      sort[`_missing${i}`] = 1;
    }
    sort[path] = direction === "asc" ? 1 : -1;
  }
  const marked = Object.keys(marks).length === 0 ? [] : [{ $set: marks }];
  const probe = sorted.probe?.stages ?? [];
  return [...matching(sorted.filter), ...probe, ...marked, { $sort: { ...sort, _id: 1 } }, ...cut(sorted), { $project: sorted.project }];
}

function matching(filter: Document | true, also?: Document): Document[] {
  if (filter === true) return also === undefined ? [] : [{ $match: also }];
  return [{ $match: also === undefined ? filter : { $and: [also, filter] } }];
}

function cut({ skip = 0, limit }: Sorted): Document[] {
  return [...(skip > 0 ? [{ $skip: skip }] : []), ...(limit === undefined ? [] : [{ $limit: limit }])];
}

/** The least value of a kind: a comparison with it excludes missing values and gives an index tight bounds. */
function lowest(kind: ValueKind): unknown {
  switch (kind) {
    case "int":
    case "int64":
    case "float":
      return Number.NEGATIVE_INFINITY;
    case "boolean":
      return false;
    default:
      return "";
  }
}

interface Ordered {
  readonly where: Predicate;
  readonly order: Order;
  /** Only with one key. */
  readonly after: Place | undefined;
  /** Only with several: `where` demands it too. */
  readonly from: Place | undefined;
}

/** The order without keys that do not affect it: lists and geometries count as missing. A place that no index finds becomes a condition. */
export function orderedBy(
  schema: LayoutRuntime,
  {
    where = { kind: "all" },
    order = [],
    after,
  }: { readonly where?: Predicate; readonly order?: Order | undefined; readonly after?: Place | undefined },
): Ordered {
  const isUsable = order.map(({ field }) => {
    const runtime = schema.fields.get(field);
    return runtime !== undefined && !runtime.list && runtime.kind !== "geo";
  });
  const usable = order.filter((_, k) => isUsable[k]);
  const place = after && { uid: after.uid, keys: after.keys.filter((_, k) => isUsable[k]) };
  if (place === undefined || usable.length === 1) return { where, order: usable, after: place, from: undefined };
  return { where: and(where, afterPlace(usable, place)), order: usable, after: undefined, from: usable.length === 0 ? undefined : place };
}

/** The number of rows to fetch of each type, so that the page can be cut from all. */
export function wantedOf(page: Page | undefined): number | undefined {
  if (page === undefined) return undefined;
  if ("last" in page) return page.last;
  return page.first === undefined ? undefined : (page.offset ?? 0) + page.first;
}
