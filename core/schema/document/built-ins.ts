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

input IntFilter { eq: Int in: [Int] le: Int lt: Int ge: Int gt: Int between: IntRange }
input Int64Filter { eq: Int64 in: [Int64] le: Int64 lt: Int64 ge: Int64 gt: Int64 between: Int64Range }
input FloatFilter { eq: Float in: [Float] le: Float lt: Float ge: Float gt: Float between: FloatRange }
input DateTimeFilter { eq: DateTime in: [DateTime] le: DateTime lt: DateTime ge: DateTime gt: DateTime between: DateTimeRange }
input StringExactFilter { eq: String in: [String] le: String lt: String ge: String gt: String between: StringRange }
input StringHashFilter { eq: String in: [String] }
input StringTermFilter { allofterms: String anyofterms: String }
input StringFullTextFilter { alloftext: String anyoftext: String }
input StringRegExpFilter { regexp: String }
input StringNgramFilter { ngram: String }

type Point { longitude: Float! latitude: Float! }
type PointList { points: [Point!]! }
type Polygon { coordinates: [PointList!]! }
type MultiPolygon { polygons: [Polygon!]! }

input PointRef { longitude: Float! latitude: Float! }
input PointListRef { points: [PointRef!]! }
input PolygonRef { coordinates: [PointListRef!]! }
input MultiPolygonRef { polygons: [PolygonRef!]! }

input NearFilter { distance: Float! coordinate: PointRef! }
input WithinFilter { polygon: PolygonRef! }
input ContainsFilter { point: PointRef polygon: PolygonRef }
input IntersectsFilter { polygon: PolygonRef multiPolygon: MultiPolygonRef }
input PointGeoFilter { near: NearFilter within: WithinFilter }
input PolygonGeoFilter { near: NearFilter within: WithinFilter contains: ContainsFilter intersects: IntersectsFilter }

directive @cascade(fields: [String]) on FIELD
directive @cacheControl(maxAge: Int!) on QUERY
`;

/** Object types that are values, not nodes. */
export const geoTypes: readonly string[] = ["Point", "PointList", "Polygon", "MultiPolygon"];
