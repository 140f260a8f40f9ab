// Makes corners that lie on the edge of another polygon corners of that polygon too.

import { s2 } from "s2js";

/**
 * `polygon` with those vertices of `other` that lie on its edges.
 *
 * @param tolerance in radians, how far from an edge a vertex still lies on it
 */
export function withVertices(polygon: s2.Polygon, other: s2.Polygon, tolerance: number): s2.Polygon {
  const candidates = other.loops.flatMap((loop) => loop.vertices);
  return new s2.Polygon(
    polygon.loops.map((loop) => {
      const snapped = new s2.Loop(
        loop.vertices.flatMap((start, index, all) => [start, ...between(start, all[(index + 1) % all.length] ?? start, candidates, tolerance)]),
      );
      snapped.normalize();
      return snapped;
    }),
  );
}

/** Those of `candidates` on the edge, in its direction, without its ends. */
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
