// Values of geo fields as shapes of a map: longitude to the right, latitude up.

import { at, isList, isObject, type Json } from "../api/json.ts";

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Shape {
  readonly kind: "point" | "area";
  /** Of an area: the outline, then its holes. */
  readonly rings: readonly (readonly Place[])[];
}

/** Of a point, a polygon, a multipolygon, or a list of them. */
export function shapesOf(value: Json | undefined): readonly Shape[] {
  if (isList(value)) return value.flatMap(shapesOf);
  if (!isObject(value)) return [];
  if (value.longitude !== undefined) return [{ kind: "point", rings: [[placeOf(value)]] }];
  if (isList(value.polygons)) return value.polygons.flatMap(shapesOf);
  if (!isList(value.coordinates)) return [];
  const rings = value.coordinates.map((ring) => listAt(ring).map(placeOf)).filter((ring) => ring.length > 0);
  return rings.length === 0 ? [] : [{ kind: "area", rings }];
}

function listAt(ring: Json): readonly Json[] {
  const points = at(ring, "points");
  return isList(points) ? points : [];
}

function placeOf(point: Json): Place {
  return { x: Number(at(point, "longitude")), y: -Number(at(point, "latitude")) };
}

/** The line around all rings, for `d` of a path. */
export function outlineOf({ rings }: Pick<Shape, "rings">): string {
  return rings.map((ring) => `M${ring.map(({ x, y }) => `${x} ${y}`).join("L")}Z`).join("");
}

/**
 * A coast that crosses the date line, as one that does not jump from one side of the map to the other; and once more at the other side, for what is beyond the
 * edge. A coast around the pole is closed along the edge of the map.
 */
export function flatRings(ring: readonly Place[]): readonly (readonly Place[])[] {
  const flat: Place[] = [];
  let turns = 0;
  for (const [place, { x, y }] of ring.entries()) {
    const jump = x - (ring[place - 1]?.x ?? x);
    turns -= Math.abs(jump) > 180 ? Math.sign(jump) : 0;
    flat.push({ x: x + turns * 360, y });
  }
  const [first, last] = [flat[0], flat.at(-1)];
  if (first && last && turns !== 0) flat.push({ x: last.x, y: Math.sign(last.y) * 90 }, { x: first.x, y: Math.sign(first.y) * 90 });
  const shifted = (by: number) => flat.map(({ x, y }) => ({ x: x + by, y }));
  return [flat, ...(flat.some(({ x }) => x > 180) ? [shifted(-360)] : []), ...(flat.some(({ x }) => x < -180) ? [shifted(360)] : [])];
}

/** What is seen of the map: the shapes with some of what lies around them. Undefined: there are none. */
export function extentOf(
  shapes: readonly Shape[],
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | undefined {
  const places = shapes.flatMap(({ rings }) => rings.flat());
  if (places.length === 0) return undefined;
  const [left, right] = [Math.min(...places.map(({ x }) => x)), Math.max(...places.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...places.map(({ y }) => y)), Math.max(...places.map(({ y }) => y))];
  const width = Math.max(leastSeen, (right - left) * 1.5, (bottom - top) * 3);
  const height = width / 2;
  return { x: (left + right - width) / 2, y: (top + bottom - height) / 2, width, height };
}

/** Degrees around a point: enough of the coasts to know where it is. */
const leastSeen = 40;

/** As a point is written: `13.4, 52.5`. */
export function pointText({ x, y }: Place): string {
  const longitude = ((((x + 180) % 360) + 360) % 360) - 180;
  const latitude = Math.max(-90, Math.min(90, -y));
  return `${rounded(longitude)}, ${rounded(latitude)}`;
}

/** To about ten metres. */
function rounded(degrees: number): number {
  return Math.round(degrees * 1e4) / 1e4 || 0;
}
