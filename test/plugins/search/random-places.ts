// Random places of the globe: poles, the date line, borders of the faces that S2 cuts it into, and neighbours of one another.

import type { Geometry, Position } from "../../../core/index.ts";
import fc from "../../support/properties.ts";

const longitude = fc.oneof(fc.constantFrom(-180, 180, 0, 45, -45, 135, -135, 90, -90, 179.9999, 10), fc.double({ min: -180, max: 180, noNaN: true }));
const latitude = fc.oneof(fc.constantFrom(90, -90, 0, 45, -45, 89.9999, 35.26438968), fc.double({ min: -90, max: 90, noNaN: true }));

/** Some are so near to a few centres that every distance has neighbours on both sides. */
export const anyPlace: fc.Arbitrary<Position> = fc.oneof(
  fc.tuple(longitude, latitude),
  fc
    .tuple(
      fc.constantFrom<Position>([10, 50], [180, 0], [-180, 10], [45, 0], [0, 90], [7, -89.999]),
      fc.constantFrom(1e-6, 1e-4, 1e-2, 1),
      fc.tuple(unit(), unit()),
    )
    .map(([[east, north], scale, [dx, dy]]): Position => [wrapped(east + dx * scale), Math.max(-90, Math.min(90, north + dy * scale))]),
);

function unit(): fc.Arbitrary<number> {
  return fc.constantFrom(-1, -0.5, 0, 0.25, 1);
}

function wrapped(degrees: number): number {
  return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
}

/** Boxes and stars around a place, some with a hole. */
const rings: fc.Arbitrary<readonly (readonly Position[])[]> = fc
  .tuple(anyPlace, fc.constantFrom(1e-5, 1e-3, 0.1, 1, 5, 20), fc.integer({ min: 3, max: 8 }), fc.boolean(), fc.boolean())
  .map(([center, size, corners, hole, round]) => {
    const outer = round ? star(center, size, corners) : box(center, size);
    return hole ? [outer, round ? star(center, size / 3, corners) : box(center, size / 3)] : [outer];
  });

function box([east, north]: Position, size: number): readonly Position[] {
  const [south, top] = [Math.max(-90, north - size), Math.min(90, north + size)];
  const at = (degrees: number, latitude: number): Position => [wrapped(degrees), latitude];
  return [at(east - size, south), at(east + size, south), at(east + size, top), at(east - size, top), at(east - size, south)];
}

function star([east, north]: Position, size: number, corners: number): readonly Position[] {
  const ring = Array.from({ length: corners }, (_, index): Position => {
    const angle = (index * 2 * Math.PI) / corners;
    return [wrapped(east + Math.cos(angle) * size), Math.max(-90, Math.min(90, north + Math.sin(angle) * size))];
  });
  return [...ring, ring[0] ?? [0, 0]];
}

export function anyGeometry(type: "Polygon" | "MultiPolygon"): fc.Arbitrary<Geometry> {
  if (type === "Polygon") return rings.map((coordinates): Geometry => ({ type, coordinates }));
  return fc.array(rings, { minLength: 1, maxLength: 3 }).map((coordinates): Geometry => ({ type, coordinates }));
}

/** Some ring has fewer than three different points: refused in requests. */
export function degenerate(geometry: Geometry): boolean {
  const all = geometry.type === "Point" ? [] : geometry.type === "Polygon" ? geometry.coordinates : geometry.coordinates.flat();
  return all.some((ring) => new Set(ring.map(String)).size < 3);
}

/** As requests write it. */
export function asInput(geometry: Geometry | undefined): unknown {
  if (geometry === undefined) return undefined;
  const polygon = (coordinates: readonly (readonly Position[])[]) => ({ coordinates: coordinates.map((ring) => ({ points: ring.map(coordinate) })) });
  switch (geometry.type) {
    case "Point":
      return coordinate(geometry.coordinates);
    case "Polygon":
      return polygon(geometry.coordinates);
    case "MultiPolygon":
      return { polygons: geometry.coordinates.map(polygon) };
  }
}

function coordinate([longitude, latitude]: Position): { readonly longitude: number; readonly latitude: number } {
  return { longitude, latitude };
}
