// What is asked of a view.

import type { EndName, FieldName, Stored, TypeName, Uid, Vector } from "../../ground/values/value.ts";
import type { Metric } from "../../ground/values/vector.ts";
import type { Predicate } from "../predicate.ts";

/**
 * Which nodes to find, and what to return of them:
 *
 *     { types: ["Author"], where: { kind: "has", field: "Author.name" }, page: { first: 10 }, fields: ["Author.name"] }
 */
export interface FindRequest {
  /** Concrete types. */
  readonly types: readonly TypeName[];
  /** By default: all nodes. */
  readonly where?: Predicate;
  /** By default: by uid, ascending. */
  readonly order?: Order;
  /** Returns only rows behind this place of the order, and cuts the page from them. Not with `nearest`, nor with `last`. Only with `Powers.seek`. */
  readonly after?: Place | undefined;
  /** Only the nodes nearest to a vector, nearest first. Not with `order`, nor with `last`. Only with `Powers.nearest`. */
  readonly nearest?: Nearest;
  /** By default: all rows. */
  readonly page?: Page;
  /** The columns to return: stored fields and single ends. */
  readonly fields: readonly (FieldName | EndName)[];
}

/**
 * The nodes whose vectors are nearest to a given one, among those that satisfy the request's `where`:
 *
 *     { types: ["Post"], nearest: { field: "Post.topic", metric: "cosine", vector: Float32Array.of(1, 0), count: 10 }, fields: ["Post.title"] }
 *
 * A candidate is a node whose value is a vector of the same length, at a distance that is a number. A search fails with `VALUE_INVALID` when
 * nodes that satisfy `where` have vectors, and only such of another length; other nodes, which may be hidden, do not count. Equally distant nodes come by uid. The
 * result has `count` rows when there are as many candidates. A storage may use a `NearestIndex` and then miss a few of the nearest; what it
 * returns satisfies `where`, has its exact distance, and is in order. Without such an index the result is exact.
 */
export interface Nearest {
  /** A field of kind `vector`. */
  readonly field: FieldName;
  /** By which distance. */
  readonly metric: Metric;
  /** The point from which distances are measured. */
  readonly vector: Vector;
  /** How many, at most; at least 1. */
  readonly count: number;
  /** Leaves out nodes that are farther away. */
  readonly within?: number | undefined;
  /** How many candidates a search of an index keeps in view, at least 1: more find more of the nearest and take longer. */
  readonly breadth?: number | undefined;
}

/** Which links to follow, and what to return of the nodes that they lead to. */
export interface FollowRequest {
  /** The sources: existing nodes. May contain repeats. */
  readonly from: readonly Uid[];
  /** The end to follow, as the sources see it: `Author.posts`. */
  readonly end: EndName;
  /** Returns only nodes of these concrete types. By default: all types that the end leads to. */
  readonly types?: readonly TypeName[];
  /** Returns only nodes that satisfy it. By default: all. */
  readonly where?: Predicate;
  /** Applies to each source separately. By default: by uid, ascending. */
  readonly order?: Order;
  /** Returns only rows behind this place of the order, of each source. Not with `last`. Only with `Powers.seek`. */
  readonly after?: Place | undefined;
  /** Applies to each source separately. By default: all rows. */
  readonly page?: Page;
  /** The columns to return: stored fields and single ends. */
  readonly fields: readonly (FieldName | EndName)[];
}

/** Which nodes to load by uid, and what to return of them. */
export interface LoadRequest {
  /** In the order of the result, repeats included. Unknown uids are left out. */
  readonly uids: readonly Uid[];
  /** Nodes of other types are left out. */
  readonly types: readonly TypeName[];
  /** The columns to return: stored fields and single ends. */
  readonly fields: readonly (FieldName | EndName)[];
}

/** What to aggregate, over which nodes. */
export interface AggregateRequest {
  /** Nodes, or the partners of each source: then there is one result for each source. */
  readonly over: Omit<FindRequest, "fields" | "order" | "after" | "page"> | Omit<FollowRequest, "fields" | "order" | "after" | "page">;
  readonly measures: readonly Measure[];
}

/**
 * An aggregate function. `count` counts nodes. The others ignore nodes that have no value, and are `undefined` when no node has one:
 *
 * - `min`, `max`: by the order of the field's kind.
 * - `sum`: floats are added in uid order; int64 gives a bigint; int gives a number, which may exceed 32 bits.
 * - `avg`: a number.
 */
export type Measure = { readonly kind: "count" } | { readonly kind: "min" | "max" | "sum" | "avg"; readonly field: FieldName };

/**
 * What to group, by what, and what to compute of each group:
 *
 *     {
 *       over: { types: ["Post"] },
 *       by: [{ field: "Post.author" }, { field: "Post.published", unit: "year" }],
 *       measures: [{ kind: "count" }, { kind: "avg", field: "Post.score" }],
 *     }
 */
export interface GroupRequest {
  /** The nodes to group. */
  readonly over: Omit<FindRequest, "fields" | "order" | "after" | "page" | "nearest">;
  /** At least one; each field once. */
  readonly by: readonly GroupKey[];
  /** Computed of each group, in this order. */
  readonly measures: readonly Measure[];
}

/** A field that holds one value, neither a geometry nor a vector; or a single end. */
export interface GroupKey {
  readonly field: FieldName | EndName;
  /** Of a DateTime, in UTC. By default: by instant. */
  readonly unit?: TimeUnit | undefined;
}

/** A calendar unit in UTC. */
export type TimeUnit = "year" | "month" | "day" | "hour";

/** Sort keys, the most significant first. Nodes without a value come last in both directions; the last tie-breaker is the uid, ascending. */
export type Order = readonly OrderKey[];

/** One sort key. */
export interface OrderKey {
  readonly field: FieldName;
  readonly direction: "asc" | "desc";
  /** A BCP 47 language tag (`de`, `sv`). By default: text sorts by UTF-8 bytes. Only with `Powers.collation`. */
  readonly collation?: string;
}

/**
 * A place in an ordered list: the place of a node with this uid and these values of the order's keys, which need not exist:
 *
 *     // order: [{ field: "Post.score", direction: "desc" }]
 *     { uid: 7, keys: [5] } // before it: higher scores, and score 5 up to uid 7; behind it: all others
 */
export interface Place {
  /** Breaks ties of the keys. */
  readonly uid: Uid;
  /** One for each key of the order. Undefined: no value. Lists and geometries have no order: they count as missing. */
  readonly keys: readonly (Stored | undefined)[];
}

/**
 * A slice of the ordered rows: skip `offset` (from 0), then take `first` (at least 1). Or the `last` rows (at least 1), in ascending order;
 * only without an order.
 */
export type Page = { readonly first?: number; readonly offset?: number } | { readonly last: number };
