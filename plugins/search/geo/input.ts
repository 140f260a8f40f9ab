// Validates the geometries of filters and converts them to stored values.

import type { MultiPolygon, Polygon, Position } from "../../../core/plugin.ts";
import { invalid, list, members } from "../ground/operand.ts";

/** `{longitude, latitude}` */
export function positionOf(input: unknown): Position {
  const { longitude, latitude } = members(input);
  return [degrees(longitude), degrees(latitude)];
}

/** `{coordinates: [{points: [...]}, ...]}`, the outer ring first. A ring ends with its first point, in either direction. */
export function polygonOf(input: unknown): Polygon {
  const rings = list(members(input).coordinates).map(ringOf);
  if (rings.length === 0) throw invalid("a polygon needs at least one ring of coordinates");
  return { type: "Polygon", coordinates: rings };
}

/** `{polygons: [...]}` */
export function multiPolygonOf(input: unknown): MultiPolygon {
  const polygons = list(members(input).polygons).map(polygonOf);
  if (polygons.length === 0) throw invalid("a multi polygon needs at least one polygon");
  return { type: "MultiPolygon", coordinates: polygons.map((polygon) => polygon.coordinates) };
}

/** Points of one ring in a filter. An area takes some 50 microseconds a point to work out, in one go. */
const maxRingPoints = 5_000;

function ringOf(input: unknown): readonly Position[] {
  const points = list(members(input).points);
  if (points.length > maxRingPoints) throw invalid(`a ring of a polygon has ${points.length} points; at most ${maxRingPoints} are allowed`);
  const ring = points.map(positionOf);
  const [first] = ring;
  const last = ring.at(-1);
  if (first === undefined || last === undefined) throw invalid("a ring of a polygon has no points");
  if (first[0] !== last[0] || first[1] !== last[1]) throw invalid("Last coord not same as first");
  if (new Set(ring.map(String)).size < 3) throw invalid("a ring of a polygon needs at least three different points");
  return ring;
}

function degrees(input: unknown): number {
  if (typeof input === "number" && Number.isFinite(input)) return input;
  throw invalid(`${String(input)} is not a number of degrees`);
}
