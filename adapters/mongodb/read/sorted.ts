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
  readonly skip?: number;
  readonly limit?: number;
  /** The filter finds one document at most: to order it costs MongoDB a quarter of the query. */
  readonly single?: boolean;
  /** In descending order of uids. */
  readonly backwards?: boolean;
  /** The projection of each document. */
  readonly project: Document;
}

export function sortedStages(schema: LayoutRuntime, sorted: Sorted): Document[] {
  const { type, filter, order } = sorted;
  if (sorted.single && sorted.after === undefined) return [...matching(filter), ...cut({ limit: 1, ...sorted }), { $project: sorted.project }];
  const fields = order.flatMap(({ field, direction }) => {
    const runtime = schema.fields.get(field);
    return runtime === undefined ? [] : [{ field: runtime, direction }];
  });
  const [first] = fields;
  if (first === undefined) return [...matching(filter), { $sort: { _id: sorted.backwards ? -1 : 1 } }, ...cut(sorted), { $project: sorted.project }];
  const path = first.field.path(type);
  if (fields.length > 1) return severalKeys(sorted, fields);
  // MongoDB sorts missing values first, so they come last in descending order.
  if (first.direction === "desc" && sorted.after === undefined)
    return [...matching(filter), { $sort: { [path]: -1, _id: 1 } }, ...cut(sorted), { $project: sorted.project }];
  return halves(sorted, first);
}

interface SortField {
  readonly field: FieldRuntime;
  readonly direction: "asc" | "desc";
}

/** Two sorted halves, each from an index; the second is read only when the first does not fill the page. */
function halves(sorted: Sorted, { field, direction }: SortField): Document[] {
  const { type, filter, after } = sorted;
  const path = field.path(type);
  const enough = sorted.limit === undefined ? [] : [{ $limit: (sorted.skip ?? 0) + sorted.limit }];
  const missing = { [path]: { $exists: false } };
  const without = [{ $sort: { _id: 1 } }, ...enough, { $project: sorted.project }];
  const place = after && operandOfPlace(after, field);
  // Nodes without a value come last.
  if (after !== undefined && place === undefined) return [...matching(filter, { ...missing, _id: { $gt: after.uid } }), ...without, ...cut(sorted)];
  const withValue = after === undefined ? { [path]: { $gte: lowest(field.kind) } } : behind(path, { direction, place, uid: after.uid });
  return [
    ...matching(filter, withValue),
    { $sort: { [path]: direction === "asc" ? 1 : -1, _id: 1 } },
    ...enough,
    { $project: sorted.project },
    { $unionWith: { coll: collectionOf(type), pipeline: [...matching(filter, missing), ...without] } },
    ...cut(sorted),
  ];
}

function operandOfPlace({ keys: [value] }: Place, { kind }: FieldRuntime): unknown {
  return value === undefined || isList(value) ? undefined : operandOf(kind, value);
}

interface Bound {
  readonly direction: "asc" | "desc";
  readonly place: unknown;
  readonly uid: number;
}

/** The comparison beside the alternatives gives the index its bound: it does not read what lies before the place. */
function behind(path: string, { direction, place, uid }: Bound): Document {
  const [from, beyond] = direction === "asc" ? ["$gte", "$gt"] : ["$lte", "$lt"];
  return { [path]: { [from]: place }, $or: [{ [path]: { [beyond]: place } }, { _id: { $gt: uid } }] };
}

/** Adds a flag for missing values: no index sorts by several fields. */
function severalKeys(sorted: Sorted, keys: readonly SortField[]): Document[] {
  const marks: Document = {};
  const sort: Document = {};
  for (const [i, { field, direction }] of keys.entries()) {
    const path = field.path(sorted.type);
    if (direction === "asc") {
      marks[`_missing${i}`] = { $cond: [{ $gt: [`$${path}`, null] }, 0, 1] };
      sort[`_missing${i}`] = 1;
    }
    sort[path] = direction === "asc" ? 1 : -1;
  }
  const marked = Object.keys(marks).length === 0 ? [] : [{ $set: marks }];
  return [...matching(sorted.filter), ...marked, { $sort: { ...sort, _id: 1 } }, ...cut(sorted), { $project: sorted.project }];
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
  if (place === undefined || usable.length === 1) return { where, order: usable, after: place };
  return { where: and(where, afterPlace(usable, place)), order: usable, after: undefined };
}

/** The number of rows to fetch of each type, so that the page can be cut from all. */
export function wantedOf(page: Page | undefined): number | undefined {
  if (page === undefined) return undefined;
  if ("last" in page) return page.last;
  return page.first === undefined ? undefined : (page.offset ?? 0) + page.first;
}
