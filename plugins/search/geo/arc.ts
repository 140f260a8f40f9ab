// Edges of areas: the shorter arcs of great circles between two points, as unit vectors. Errors of rounding are near 1e-16 radians.

import type { s2 } from "s2js";

export type Vector = Pick<s2.Point, "x" | "y" | "z">;

export interface Arc {
  readonly from: Vector;
  readonly to: Vector;
  /** The unit vector at right angles to the plane of the arc, on its left. */
  readonly left: Vector;
}

export function arcOf(from: Vector, to: Vector): Arc {
  return { from, to, left: unit(cross(from, to)) };
}

function dot(a: Vector, b: Vector): number {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

function cross(a: Vector, b: Vector): Vector {
  return { x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x };
}

/** `a` and `b` times `scale`, together, as a unit vector. */
export function sum(a: Vector, b: Vector, scale = 1): Vector {
  return unit({ x: a.x + b.x * scale, y: a.y + b.y * scale, z: a.z + b.z * scale });
}

/** In radians. */
export function angleBetween(a: Vector, b: Vector): number {
  return 2 * Math.asin(Math.min(1, lengthOf({ x: a.x - b.x, y: a.y - b.y, z: a.z - b.z }) / 2));
}

/** The distance of a point from the arc, in radians. */
export function distanceFrom({ from, to, left }: Arc, point: Vector): number {
  const isBeside = dot(cross(left, from), point) >= 0 && dot(cross(to, left), point) >= 0;
  return isBeside ? Math.asin(Math.min(1, Math.abs(dot(left, point)))) : Math.min(angleBetween(from, point), angleBetween(to, point));
}

/** Whether some points of the two are at most `angle` apart. */
export function areWithin(one: Arc, other: Arc, angle: number): boolean {
  if (distanceFrom(one, other.from) <= angle || distanceFrom(one, other.to) <= angle) return true;
  return distanceFrom(other, one.from) <= angle || distanceFrom(other, one.to) <= angle || crossingOf(one, other) !== undefined;
}

/** The point where the two cross, inside both. */
export function crossingOf(one: Arc, other: Arc): Vector | undefined {
  const isParted = dot(one.left, other.from) * dot(one.left, other.to) < 0 && dot(other.left, one.from) * dot(other.left, one.to) < 0;
  if (!isParted) return undefined;
  const point = unit(cross(one.left, other.left));
  const [side, otherSide] = [dot(point, middleOf(one)), dot(point, middleOf(other))];
  if (side * otherSide <= 0) return undefined;
  return side > 0 ? point : { x: -point.x, y: -point.y, z: -point.z };
}

function middleOf({ from, to }: Arc): Vector {
  return sum(from, to);
}

/** `Math.hypot` guards against overflow, at several times the cost. */
export function lengthOf({ x, y, z }: Vector): number {
  return Math.sqrt(x * x + y * y + z * z);
}

function unit({ x, y, z }: Vector): Vector {
  const length = lengthOf({ x, y, z }) || 1;
  return { x: x / length, y: y / length, z: z / length };
}
