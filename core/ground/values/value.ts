// What a stored value may be, and the names under which storage knows things.

/** The id of a node: a positive integer below 2^53, ascending within a transaction, never given twice. Clients see `0x2a`. */
export type Uid = number;
/** A concrete type as storage knows it: its GraphQL name, or what `@dgraph(type:)` says. */
export type TypeName = string;
/** A stored field, `Package.size`; types may share one (a field of an interface belongs to all that implement it). */
export type FieldName = string;
/** One side of an edge seen from a field, `Post.author`; an end without a field is `~` and the name of the other. */
export type EndName = string;
export type EdgeName = string;
export type IndexName = string;
export type KeyName = string;
/** Names one commit. Tokens of one storage sort as text in commit order. */
export type CommitToken = string;
/** One index term, any text. */
export type Token = string;

/**
 * How a value is kept, compared and ordered:
 *
 * | kind | in JavaScript | order |
 * |---|---|---|
 * | string | string | by UTF-8 bytes |
 * | int | number, 32-bit signed integer | numeric |
 * | int64 | bigint, 64-bit signed | numeric |
 * | float | number, finite | numeric, -0 equals 0 |
 * | boolean | boolean | false, true |
 * | dateTime | RFC 3339 text, years 0000 to 9999, the written offset kept | by instant |
 * | geo | GeoJSON geometry: Point, Polygon or MultiPolygon | none; equal when deeply equal |
 * | password | string, a hash; storage treats it as string | by UTF-8 bytes |
 */
export type ValueKind = "string" | "int" | "int64" | "float" | "boolean" | "dateTime" | "geo" | "password";

/** `[longitude, latitude]` in degrees, WGS 84. */
export type Position = readonly [number, number];
export interface Point {
  readonly type: "Point";
  readonly coordinates: Position;
}
export interface Polygon {
  readonly type: "Polygon";
  readonly coordinates: readonly (readonly Position[])[];
}
export interface MultiPolygon {
  readonly type: "MultiPolygon";
  readonly coordinates: readonly (readonly (readonly Position[])[])[];
}
export type Geometry = Point | Polygon | MultiPolygon;

/** One value. Absence is `undefined`, never null. */
export type Value = string | number | boolean | bigint | Geometry;
/**
 * What a field of one node holds: one value, or for a list field its distinct values in the order given, never empty. Values are
 * distinct when they are written differently: two spellings of one instant are two.
 */
export type Stored = Value | readonly Value[];

/** At once, or later. Whoever can answer at once does: a caller that gets a plain value need not wait a turn. */
export type MaybePromise<T> = T | PromiseLike<T>;

/** Plain JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
