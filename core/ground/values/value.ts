// The types of stored values, and the storage names of types, fields and links.

/** The id of a node: a positive integer below 2^53, ascending within a transaction, never reused. Clients see it in hexadecimal: `0x2a`. */
export type Uid = number;
/** The storage name of a concrete type: its GraphQL name, or the argument of `@dgraph(type:)`. */
export type TypeName = string;
/** The storage name of a field: `Package.size`. Types that implement an interface share its fields. */
export type FieldName = string;
/** The storage name of one side of an edge, as a field shows it: `Post.author`. A side without a field is `~` and the name of the other side. */
export type EndName = string;
/** The name of an edge, made of its ends' names: `Author.posts|Post.author`. */
export type EdgeName = string;
/** The name of an index: field and kind, `Package.section/hash`. */
export type IndexName = string;
/** The name of a unique key. */
export type KeyName = string;
/** Identifies one commit. Tokens of one storage sort by text in commit order. */
export type CommitToken = string;
/** One term of an inverted index; any text. */
export type Token = string;

/**
 * How values are stored, compared and ordered:
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
 * | vector | Float32Array of finite numbers, at least one | none; equal when all elements are |
 */
export type ValueKind = "string" | "int" | "int64" | "float" | "boolean" | "dateTime" | "geo" | "password" | "vector";

/** A GeoJSON position: `[longitude, latitude]` in degrees, WGS 84. */
export type Position = readonly [number, number];
/** A GeoJSON point. */
export interface Point {
  readonly type: "Point";
  readonly coordinates: Position;
}
/** A GeoJSON polygon: the outer ring, then the holes. A ring ends with its first position. */
export interface Polygon {
  readonly type: "Polygon";
  /** Rings: the outline, then the holes. The last position of a ring is its first. */
  readonly coordinates: readonly (readonly Position[])[];
}
/** Several GeoJSON polygons. */
export interface MultiPolygon {
  readonly type: "MultiPolygon";
  /** The rings of each polygon. */
  readonly coordinates: readonly (readonly (readonly Position[])[])[];
}
/** A value of kind `geo`. */
export type Geometry = Point | Polygon | MultiPolygon;

/** A value of kind `vector`, which must not be changed: `Float32Array.of(0.5, 1)`. It is one value, not a list. */
export type Vector = Float32Array;

/** One value. Absence is `undefined`, never null. */
export type Value = string | number | boolean | bigint | Geometry | Vector;
/**
 * What a field of one node holds: one value, or of a list field its distinct values in insertion order, at least one. Two spellings of one instant
 * are distinct values.
 */
export type Stored = Value | readonly Value[];

/** A value, or a promise of it. A function returns the plain value when it has it, which saves its caller a turn of the event loop. */
export type MaybePromise<T> = T | PromiseLike<T>;

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value as plugins hand it to the kernel for an answer: JSON, also with numbers that a JavaScript number cannot represent. */
export type AnswerValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | WrittenNumber
  | readonly AnswerValue[]
  | { readonly [key: string]: AnswerValue };

/** A number as a JSON text spells it: `12.50`. A String field shows its digits, an Int64 field refuses its fraction. */
export class WrittenNumber {
  /** Valid JSON. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For `JSON.stringify`. */
  toJSON(): number {
    return Number(this.text);
  }
}
