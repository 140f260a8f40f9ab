// Relations of points and areas on the sphere. Edges are geodesics, so the date line and the poles need no special case. Areas include their
// borders: a point on the border is inside, and areas that touch intersect.
//
// S2 decides containment and crossing. It assigns a border to one of the two adjacent areas, so this file adds a tolerance.

import { LRUCache } from "lru-cache";
import type { s2 } from "s2js";
import type { Geometry, Position } from "../../../core/plugin.ts";
import { s2js } from "./s2js.ts";
import { withVertices } from "./snap.ts";

const earthRadiusMetres = 6_371_000;
/** In radians (0.06 millimetres): far above rounding errors, far below the precision of coordinates. */
const border = 1e-11;

/** A geometry on the sphere: a point without areas, or one or several areas. */
export interface Region {
  readonly point: s2.Point | undefined;
  readonly areas: readonly Area[];
}

/** One polygon without its holes. */
interface Area {
  readonly polygon: s2.Polygon;
  /** Computes distances to the border, also from inside. */
  readonly outline: s2.ClosestEdgeQuery;
}

export function regionOf(geometry: Geometry): Region {
  switch (geometry.type) {
    case "Point":
      return { point: pointOf(geometry.coordinates), areas: [] };
    case "Polygon":
      return { point: undefined, areas: areasOf([geometry.coordinates]) };
    case "MultiPolygon":
      return { point: undefined, areas: areasOf(geometry.coordinates) };
  }
}

/** The size of the cache, in vertices. */
const maxKeptCorners = 100_000;
const kept = new LRUCache<Geometry, Region>({ maxSize: maxKeptCorners });

/** As `regionOf`, cached: for stored values, which are tested repeatedly. Building an area takes a tenth of a millisecond. */
export function regionOfStored(geometry: Geometry): Region {
  if (geometry.type === "Point") return regionOf(geometry);
  const known = kept.get(geometry);
  if (known !== undefined) return known;
  const region = regionOf(geometry);
  kept.set(geometry, region, { size: 10 + cornersOf(region) });
  return region;
}

export function cornersOf({ areas }: Region): number {
  return areas.reduce((sum, { polygon }) => sum + polygon.numVertices, 0);
}

/** A distance on the sphere, in radians. */
export function angleOf(metres: number): number {
  return metres / earthRadiusMetres;
}

/** Whether `region` is within this distance of `center`, in radians. */
export function isNear(region: Region, center: Region, angle: number): boolean {
  const from = center.point;
  if (from === undefined) return false;
  if (region.point !== undefined) return region.point.distance(from) <= angle;
  return region.areas.some((area) => holdsPoint(area, from) || outlineWithin(area, from, angle));
}

/** Whether each part of `inner` lies in one area of `outer`. */
export function isWithin(inner: Region, outer: Region): boolean {
  const { point, areas } = inner;
  if (point !== undefined) return outer.areas.some((area) => holdsPoint(area, point));
  return areas.length > 0 && areas.every((part) => outer.areas.some((area) => holdsArea(area, part)));
}

/** Whether the two share a point. */
export function intersect(one: Region, other: Region): boolean {
  return one.areas.some((a) => other.areas.some((b) => a.polygon.intersects(b.polygon) || touch(a, b)));
}

function areasOf(polygons: readonly (readonly (readonly Position[])[])[]): readonly Area[] {
  return polygons.map((rings) => rings.flatMap(loopOf)).flatMap((loops) => (loops.length === 0 ? [] : [areaOf(loops)]));
}

function areaOf(loops: s2.Loop[]): Area {
  const polygon = new (s2js().s2.Polygon)(loops);
  let outline: s2.ClosestEdgeQuery | undefined;
  return {
    polygon,
    /** Created lazily: storing an area only covers it and computes no distances. */
    get outline() {
      outline ??= outlineOf(polygon);
      return outline;
    },
  };
}

function outlineOf(polygon: s2.Polygon): s2.ClosestEdgeQuery {
  const { ClosestEdgeQuery, ClosestEdgeQueryOptions } = s2js().s2;
  const options = new ClosestEdgeQueryOptions();
  options.includeInteriors = false;
  return new ClosestEdgeQuery(polygon.index, options);
}

/** A ring without repeated points, oriented so that the smaller side is inside. Empty when it encloses nothing. */
function loopOf(ring: readonly Position[]): readonly s2.Loop[] {
  const points = ring.filter((position, index) => index === 0 || String(position) !== String(ring[index - 1])).map(pointOf);
  if (points.length > 1 && points[0]?.approxEqual(points.at(-1) ?? points[0])) points.pop();
  if (points.length < 3) return [];
  const loop = new (s2js().s2.Loop)(points);
  loop.normalize();
  return [loop];
}

/** Normalizes a point: the date line has two longitudes, and a pole has all of them. */
function pointOf([longitude, latitude]: Position): s2.Point {
  const { LatLng, Point } = s2js().s2;
  if (Math.abs(latitude) === 90) return Point.fromCoords(0, 0, Math.sign(latitude));
  return Point.fromLatLng(LatLng.fromDegrees(latitude, longitude === -180 ? 180 : longitude));
}

function holdsPoint(area: Area, point: s2.Point): boolean {
  return area.polygon.containsPoint(point) || outlineWithin(area, point, border);
}

/**
 * S2 is exact when two areas share vertices, but rounding decides when a vertex of one lies on an edge of the other. Such vertices are added to
 * the other area first.
 */
function holdsArea(area: Area, part: Area): boolean {
  if (area.polygon.contains(part.polygon)) return true;
  return touch(area, part) && withVertices(area.polygon, part.polygon, border).contains(withVertices(part.polygon, area.polygon, border));
}

function touch(one: Area, other: Area): boolean {
  const { s1, s2 } = s2js();
  return one.outline.isDistanceLessOrEqual(new s2.EdgeQueryShapeIndexTarget(other.polygon.index), s1.chordangle.fromAngle(border));
}

function outlineWithin(area: Area, from: s2.Point, angle: number): boolean {
  const { s1, s2 } = s2js();
  return angle >= Math.PI || area.outline.isDistanceLessOrEqual(new s2.EdgeQueryPointTarget(from), s1.chordangle.fromAngle(angle));
}
