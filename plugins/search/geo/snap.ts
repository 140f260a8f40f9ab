// Adds vertices that lie on an edge of another polygon to that polygon.

import type { s2 } from "s2js";
import { s2js } from "./s2js.ts";

/**
 * `polygon` with the vertices of `other` that lie on its edges.
 *
 * @param tolerance in radians: the largest distance of a vertex that counts as on the edge
 */
export function withVertices(polygon: s2.Polygon, other: s2.Polygon, tolerance: number): s2.Polygon {
  const { Loop, Polygon } = s2js().s2;
  const candidates = other.loops.flatMap((loop) => loop.vertices);
  return new Polygon(
    polygon.loops.map((loop) => {
      const snapped = new Loop(
        loop.vertices.flatMap((start, index, all) => [start, ...between(start, all[(index + 1) % all.length] ?? start, candidates, tolerance)]),
      );
      snapped.normalize();
      return snapped;
    }),
  );
}

/** The `candidates` on the edge, in its direction, without its endpoints. */
function between(start: s2.Point, end: s2.Point, candidates: readonly s2.Point[], tolerance: number): readonly s2.Point[] {
  const across = start.vector.cross(end.vector).normalize();
  return candidates
    .filter(
      ({ vector }) =>
        Math.abs(vector.dot(across)) <= tolerance &&
        start.vector.cross(vector).dot(across) > tolerance &&
        vector.cross(end.vector).dot(across) > tolerance,
    )
    .sort((a, b) => start.distance(a) - start.distance(b))
    .filter((point, index, sorted) => sorted[index - 1]?.approxEqual(point, tolerance) !== true);
}
