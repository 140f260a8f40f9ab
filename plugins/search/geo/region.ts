// Relations of points and areas on the sphere. Edges are geodesics, so the date line and the poles need no special case. Areas include their
// borders: a point on the border is inside, and areas that touch intersect.

import { LRUCache } from "lru-cache";
import type { s2 } from "s2js";
import type { Geometry, Position } from "../../../core/plugin.ts";
import { Area } from "./area.ts";
import { s2js } from "./s2js.ts";

const earthRadiusMetres = 6_371_000;

/** A geometry on the sphere: a point without areas, or one or several areas. */
export interface Region {
  readonly point: s2.Point | undefined;
  readonly areas: readonly Area[];
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
  return region.areas.some((area) => area.isNear(from, angle));
}

/** Whether each part of `inner` lies in one area of `outer`. */
export function isWithin(inner: Region, outer: Region): boolean {
  const { point, areas } = inner;
  if (point !== undefined) return outer.areas.some((area) => area.holdsPoint(point));
  return areas.length > 0 && areas.every((part) => outer.areas.some((area) => area.holds(part)));
}

/** Whether the two share a point. */
export function intersect(one: Region, other: Region): boolean {
  return one.areas.some((a) => other.areas.some((b) => a.intersects(b)));
}

function areasOf(polygons: readonly (readonly (readonly Position[])[])[]): readonly Area[] {
  return polygons.map((rings) => rings.flatMap(loopOf)).flatMap((loops) => (loops.length === 0 ? [] : [new Area(loops)]));
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
