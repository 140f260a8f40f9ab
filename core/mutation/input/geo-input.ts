// Geo inputs, `{longitude, latitude}` and so on, as GeoJSON. Pure.

import type { QuernError } from "../../ground/errors.ts";
import type { Geometry, MultiPolygon, Point, Polygon, Position } from "../../ground/values/value.ts";
import { noRings, openRing, shortRing } from "../context/error-messages.ts";

/** The geometry that an input object of type `name` spells; undefined when it does not have that shape. */
export function readGeometry(name: string, raw: unknown): Geometry | undefined {
  switch (name) {
    case "Point":
      return readPoint(raw);
    case "Polygon":
      return readPolygon(raw);
    case "MultiPolygon":
      return readMultiPolygon(raw);
    default:
      return undefined;
  }
}

function readPoint(raw: unknown): Point | undefined {
  const position = readPosition(raw);
  return position && { type: "Point", coordinates: position };
}

function readPolygon(raw: unknown): Polygon | undefined {
  const coordinates = each(member(raw, "coordinates"), (ring) => each(member(ring, "points"), readPosition));
  return coordinates && { type: "Polygon", coordinates };
}

function readMultiPolygon(raw: unknown): MultiPolygon | undefined {
  const coordinates = each(member(raw, "polygons"), (polygon) => readPolygon(polygon)?.coordinates);
  return coordinates && { type: "MultiPolygon", coordinates };
}

function readPosition(raw: unknown): Position | undefined {
  const longitude = member(raw, "longitude");
  const latitude = member(raw, "latitude");
  return typeof longitude === "number" && typeof latitude === "number" ? [longitude, latitude] : undefined;
}

function member(raw: unknown, name: string): unknown {
  return typeof raw === "object" && raw !== null ? Reflect.get(raw, name) : undefined;
}

/** All elements read, or undefined when one of them cannot be. */
function each<T>(raw: unknown, read: (element: unknown) => T | undefined): readonly T[] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const all = raw.map(read).filter((one) => one !== undefined);
  return all.length === raw.length ? all : undefined;
}

/** What keeps a geometry from being searched: a polygon without rings, a ring of fewer than four points or one that is not closed. */
export function checkGeometry(geometry: Geometry): QuernError | undefined {
  if (geometry.type === "Point") return undefined;
  const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
  if (polygons.some((rings) => rings.length === 0)) return noRings();
  for (const ring of polygons.flat()) {
    const first = ring[0];
    const last = ring.at(-1);
    if (!first || !last || ring.length < 4) return shortRing();
    if (first[0] !== last[0] || first[1] !== last[1]) return openRing(JSON.stringify(ring));
  }
  return undefined;
}
