// Definitions in every served schema: scalars, geometries, filter inputs and the directives of requests.

/** Of the scalars, by name. */
export const scalarDescriptions = {
  int64:
    "A whole number of 64 bits, from -9223372036854775808 to 9223372036854775807. It is written as digits without quotes; as text it is accepted too.",
  dateTime:
    "A point in time as RFC 3339 text, such as 2031-04-09T06:00:00Z. A year, a month or a day alone is accepted too and means its first instant, UTC.",
} as const;

/** @see reference/schema.md 1.3 */
export const builtInDefinitions = /* GraphQL */ `
"${scalarDescriptions.int64}"
scalar Int64

"${scalarDescriptions.dateTime}"
scalar DateTime

"The kinds of indexes that a field can have."
enum DgraphIndex {
  "Int: eq, in, le, lt, ge, gt, between."
  int
  "Int64: eq, in, le, lt, ge, gt, between."
  int64
  "Float: eq, in, le, lt, ge, gt, between."
  float
  "Boolean: true or false."
  bool
  "String and enums: eq, in."
  hash
  "String and enums: eq, in, le, lt, ge, gt, between."
  exact
  "String: allofterms, anyofterms."
  term
  "String: alloftext, anyoftext."
  fulltext
  "String and enums: regexp."
  trigram
  "String and enums: regexp."
  regexp
  "DateTime: eq, in, le, lt, ge, gt, between. One entry for each year."
  year
  "DateTime: eq, in, le, lt, ge, gt, between. One entry for each month."
  month
  "DateTime: eq, in, le, lt, ge, gt, between. One entry for each day."
  day
  "DateTime: eq, in, le, lt, ge, gt, between. One entry for each hour."
  hour
  "Point, Polygon and MultiPolygon: near, within, contains, intersects."
  geo
  "Vectors: the nearest ones."
  hnsw
}

"From min to max, both included."
input IntRange {
  "The lower bound."
  min: Int!
  "The upper bound."
  max: Int!
}

"From min to max, both included."
input Int64Range {
  "The lower bound."
  min: Int64!
  "The upper bound."
  max: Int64!
}

"From min to max, both included."
input FloatRange {
  "The lower bound."
  min: Float!
  "The upper bound."
  max: Float!
}

"From min to max, both included."
input DateTimeRange {
  "The lower bound."
  min: DateTime!
  "The upper bound."
  max: DateTime!
}

"From min to max, both included."
input StringRange {
  "The lower bound."
  min: String!
  "The upper bound."
  max: String!
}


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

"A place on the earth (WGS 84)."
type Point {
  "Degrees east of Greenwich, from -180 to 180."
  longitude: Float!
  "Degrees north of the equator, from -90 to 90."
  latitude: Float!
}

"A closed line."
type PointList {
  "The last point is the first one again."
  points: [Point!]!
}

"An area, possibly with holes."
type Polygon {
  "The outer line, then the lines of the holes."
  coordinates: [PointList!]!
}

"Several areas."
type MultiPolygon {
  "The areas, in any order."
  polygons: [Polygon!]!
}

"A place on the earth (WGS 84)."
input PointRef {
  "Degrees east of Greenwich, from -180 to 180."
  longitude: Float!
  "Degrees north of the equator, from -90 to 90."
  latitude: Float!
}

"A closed line."
input PointListRef {
  "The last point is the first one again."
  points: [PointRef!]!
}

"An area, possibly with holes."
input PolygonRef {
  "The outer line, then the lines of the holes."
  coordinates: [PointListRef!]!
}

"Several areas."
input MultiPolygonRef {
  "The areas, in any order."
  polygons: [PolygonRef!]!
}

"A circle."
input NearFilter {
  "Its radius in metres."
  distance: Float!
  "Its centre."
  coordinate: PointRef!
}

"An area that something lies in."
input WithinFilter {
  "Its border counts as inside."
  polygon: PolygonRef!
}

"What an area contains: a point or another area."
input ContainsFilter {
  "Lies in the area."
  point: PointRef
  "Lies in the area as a whole."
  polygon: PolygonRef
}

"What an area has a point in common with: one other area or several."
input IntersectsFilter {
  "One area."
  polygon: PolygonRef
  "Several areas; one of them is enough."
  multiPolygon: MultiPolygonRef
}

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
