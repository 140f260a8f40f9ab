// Definitions in every served schema: scalars, geometries, filter inputs and the directives of requests.

/** @see reference/schema.md 1.3 */
export const builtInDefinitions = /* GraphQL */ `
"A whole number of 64 bits, from -9223372036854775808 to 9223372036854775807. It is written as digits without quotes; as text it is accepted too."
scalar Int64

"A point in time as RFC 3339 text, such as 2031-04-09T06:00:00Z. A year, a month or a day alone is accepted too and means its first instant, UTC."
scalar DateTime

enum DgraphIndex {
  int
  int64
  float
  bool
  hash
  exact
  term
  fulltext
  trigram
  regexp
  year
  month
  day
  hour
  geo
  hnsw
}

input IntRange { min: Int! max: Int! }
input Int64Range { min: Int64! max: Int64! }
input FloatRange { min: Float! max: Float! }
input DateTimeRange { min: DateTime! max: DateTime! }
input StringRange { min: String! max: String! }

"All conditions must hold."
input IntFilter {
  "Equal to. Null matches objects without a value."
  eq: Int
  "One of."
  in: [Int]
  "Less than or equal to."
  le: Int
  "Less than."
  lt: Int
  "Greater than or equal to."
  ge: Int
  "Greater than."
  gt: Int
  "From the one to the other, both included."
  between: IntRange
}

"All conditions must hold."
input Int64Filter {
  "Equal to. Null matches objects without a value."
  eq: Int64
  "One of."
  in: [Int64]
  "Less than or equal to."
  le: Int64
  "Less than."
  lt: Int64
  "Greater than or equal to."
  ge: Int64
  "Greater than."
  gt: Int64
  "From the one to the other, both included."
  between: Int64Range
}

"All conditions must hold."
input FloatFilter {
  "Equal to. Null matches objects without a value."
  eq: Float
  "One of."
  in: [Float]
  "Less than or equal to."
  le: Float
  "Less than."
  lt: Float
  "Greater than or equal to."
  ge: Float
  "Greater than."
  gt: Float
  "From the one to the other, both included."
  between: FloatRange
}

"Compares instants. All conditions must hold."
input DateTimeFilter {
  "Equal to. Null matches objects without a value."
  eq: DateTime
  "One of."
  in: [DateTime]
  "Less than or equal to."
  le: DateTime
  "Less than."
  lt: DateTime
  "Greater than or equal to."
  ge: DateTime
  "Greater than."
  gt: DateTime
  "From the one to the other, both included."
  between: DateTimeRange
}

"Compares whole texts, by their bytes in UTF-8. All conditions must hold."
input StringExactFilter {
  "Equal to. Null matches objects without a value."
  eq: String
  "One of."
  in: [String]
  "Less than or equal to."
  le: String
  "Less than."
  lt: String
  "Greater than or equal to."
  ge: String
  "Greater than."
  gt: String
  "From the one to the other, both included."
  between: StringRange
}

"Compares whole texts."
input StringHashFilter {
  "Equal to. Null matches objects without a value."
  eq: String
  "One of."
  in: [String]
}

"Searches words, in any case and order."
input StringTermFilter {
  "Has all of these words."
  allofterms: String
  "Has one of these words or more."
  anyofterms: String
}

"Searches words by their stems, without stop words."
input StringFullTextFilter {
  "Has all of these words, in any of their forms."
  alloftext: String
  "Has one of these words or more, in any of their forms."
  anyoftext: String
}

"Searches by regular expressions."
input StringRegExpFilter {
  "/pattern/ or /pattern/i, in the syntax of RE2. It may match anywhere in the text."
  regexp: String
}

"Searches phrases by the stems of their words."
input StringNgramFilter {
  "Has these words beside each other, in this order."
  ngram: String
}

type Point { longitude: Float! latitude: Float! }
type PointList { points: [Point!]! }
type Polygon { coordinates: [PointList!]! }
type MultiPolygon { polygons: [Polygon!]! }

input PointRef { longitude: Float! latitude: Float! }
input PointListRef { points: [PointRef!]! }
input PolygonRef { coordinates: [PointListRef!]! }
input MultiPolygonRef { polygons: [PolygonRef!]! }

"A circle."
input NearFilter {
  "Its radius in metres."
  distance: Float!
  "Its centre."
  coordinate: PointRef!
}

input WithinFilter { polygon: PolygonRef! }
input ContainsFilter { point: PointRef polygon: PolygonRef }
input IntersectsFilter { polygon: PolygonRef multiPolygon: MultiPolygonRef }

"Compares places. All conditions must hold."
input PointGeoFilter {
  "Is at most so far away."
  near: NearFilter
  "Lies in an area."
  within: WithinFilter
}

"Compares areas. All conditions must hold."
input PolygonGeoFilter {
  "Some of it is at most so far away."
  near: NearFilter
  "Lies in an area as a whole."
  within: WithinFilter
  "Contains a point or an area."
  contains: ContainsFilter
  "Has a point in common with an area."
  intersects: IntersectsFilter
}

"Leaves out objects in which a selected field, or one of these fields, has no value."
directive @cascade(fields: [String]) on FIELD
"Lets caches keep the answer for this many seconds."
directive @cacheControl(maxAge: Int!) on QUERY
`;

/** Object types that are values, not nodes. */
export const geoTypes: readonly string[] = ["Point", "PointList", "Polygon", "MultiPolygon"];
