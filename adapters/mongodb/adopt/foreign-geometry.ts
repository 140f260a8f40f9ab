// GeoJSON of documents that Quern did not write.

import type { Geometry, Position } from "../../../core/storage.ts";

/** The geometry that `raw` is; undefined: it is none that a field can have. */
export function geometryOf(raw: unknown): Geometry | undefined {
  if (typeof raw !== "object" || raw === null || !("type" in raw && "coordinates" in raw)) return undefined;
  const { type, coordinates } = raw;
  if (type === "Point") return asGeometry(positionOf(coordinates), (position) => ({ type, coordinates: position }));
  if (type === "Polygon") return asGeometry(polygonOf(coordinates), (rings) => ({ type, coordinates: rings }));
  if (type === "MultiPolygon") return asGeometry(allOf(coordinates, polygonOf), (polygons) => ({ type, coordinates: polygons }));
  return undefined;
}

function asGeometry<T>(coordinates: T | undefined, geometry: (coordinates: T) => Geometry): Geometry | undefined {
  return coordinates === undefined ? undefined : geometry(coordinates);
}

/** Longitude and latitude, in degrees; an altitude would be lost. */
function positionOf(raw: unknown): Position | undefined {
  if (!Array.isArray(raw) || raw.length !== 2) return undefined;
  const [longitude, latitude]: readonly unknown[] = raw;
  if (typeof longitude !== "number" || typeof latitude !== "number") return undefined;
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 ? [longitude, latitude] : undefined;
}

function polygonOf(raw: unknown): readonly (readonly Position[])[] | undefined {
  return allOf(raw, (ring) => allOf(ring, positionOf));
}

/** Every item as `itemOf` reads it; undefined when one cannot be read, or there is none. */
function allOf<T>(raw: unknown, itemOf: (raw: unknown) => T | undefined): readonly T[] | undefined {
  if (!Array.isArray(raw) || raw.length === 0) return undefined;
  const items = raw.map((each: unknown) => itemOf(each)).filter((each) => each !== undefined);
  return items.length === raw.length ? items : undefined;
}
