// The stages that filter, order and cut the documents of one type, so that indexes serve them.

import type { Document } from "mongodb";
import type { Order, Page, TypeName, ValueKind } from "../../../core/storage.ts";
import type { FieldRuntime, LayoutRuntime } from "../layout/layout-runtime.ts";
import { collectionOf } from "../names.ts";

export interface Sorted {
  readonly type: TypeName;
  readonly filter: Document | true;
  readonly order: Order;
  readonly skip?: number;
  readonly limit?: number;
  /** In descending order of uids. */
  readonly backwards?: boolean;
  /** The projection of each document. */
  readonly project: Document;
}

export function sortedStages(schema: LayoutRuntime, sorted: Sorted): Document[] {
  const { type, filter, order } = sorted;
  const fields = order.flatMap(({ field, direction }) => {
    const runtime = schema.fields.get(field);
    return runtime === undefined ? [] : [{ field: runtime, direction }];
  });
  const [first] = fields;
  if (first === undefined) return [...matching(filter), { $sort: { _id: sorted.backwards ? -1 : 1 } }, ...cut(sorted), { $project: sorted.project }];
  const path = first.field.path(type);
  if (fields.length > 1) return severalKeys(sorted, fields);
  // MongoDB sorts missing values first, so they come last in descending order.
  if (first.direction === "desc") return [...matching(filter), { $sort: { [path]: -1, _id: 1 } }, ...cut(sorted), { $project: sorted.project }];
  return halves(sorted, first.field);
}

/** Two sorted halves, each from an index; the second is read only when the first does not fill the page. */
function halves(sorted: Sorted, field: FieldRuntime): Document[] {
  const { type, filter } = sorted;
  const path = field.path(type);
  const enough = sorted.limit === undefined ? [] : [{ $limit: (sorted.skip ?? 0) + sorted.limit }];
  const withValue = { [path]: { $gte: lowest(field.kind) } };
  const without = { [path]: { $exists: false } };
  return [
    ...matching(filter, withValue),
    { $sort: { [path]: 1, _id: 1 } },
    ...enough,
    { $project: sorted.project },
    {
      $unionWith: {
        coll: collectionOf(type),
        pipeline: [...matching(filter, without), { $sort: { _id: 1 } }, ...enough, { $project: sorted.project }],
      },
    },
    ...cut(sorted),
  ];
}

/** Adds a flag for missing values: no index sorts by several fields. */
function severalKeys(sorted: Sorted, keys: readonly { readonly field: FieldRuntime; readonly direction: "asc" | "desc" }[]): Document[] {
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

/** The keys that affect the order: lists and geometries count as missing. */
export function usableOrder(schema: LayoutRuntime, order: Order = []): Order {
  return order.filter(({ field }) => {
    const runtime = schema.fields.get(field);
    return runtime !== undefined && !runtime.list && runtime.kind !== "geo";
  });
}

/** The number of rows to fetch of each type, so that the page can be cut from all. */
export function wantedOf(page: Page | undefined): number | undefined {
  if (page === undefined) return undefined;
  if ("last" in page) return page.last;
  return page.first === undefined ? undefined : (page.offset ?? 0) + page.first;
}
