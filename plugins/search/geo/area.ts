// One polygon with its holes, and how two of them lie. Areas include their borders.
//
// The S2 library tells whether a point is inside. Whether its polygons contain or intersect one another it tells wrong from some fifty vertices on (1.44),
// and it compares a point with each edge: both are done here.

import type { s2 } from "s2js";
import { type Arc, angleBetween, areWithin, crossingOf, distanceFrom, sum, type Vector } from "./arc.ts";
import { Outline } from "./outline.ts";
import { s2js } from "./s2js.ts";

/** How far from a border a point may be to count as on it, in radians: 0.06 millimetres, far above rounding, far below the precision of coordinates. */
const border = 1e-11;
/** Points beside a border are this far from it, in radians: a millimetre. Shorter pieces of a border are left out. */
const beside = 2e-10;

export class Area {
  readonly polygon: s2.Polygon;
  #outline: Outline | undefined;

  constructor(loops: s2.Loop[]) {
    this.polygon = new (s2js().s2.Polygon)(loops);
  }

  /** Created lazily: storing an area only covers it and computes no distances. */
  get outline(): Outline {
    this.#outline ??= new Outline(this.polygon.loops.map(({ vertices }) => vertices));
    return this.#outline;
  }

  holdsPoint(point: Vector): boolean {
    return this.#surrounds(point) || this.outline.isNear(point, border);
  }

  isNear(point: Vector, angle: number): boolean {
    return this.#surrounds(point) || this.outline.isNear(point, angle);
  }

  /** Whether the two share a point. */
  intersects(other: Area): boolean {
    if (this.outline.touches(other.outline, border)) return true;
    return this.outline.starts.some((start) => other.#surrounds(start)) || other.outline.starts.some((start) => this.#surrounds(start));
  }

  /**
   * Whether each point of `part` is in this area. Where the borders meet they cut each other into pieces. What of `part` lies outside would begin at a piece
   * of its border with the outside on the inner side, or at a piece of this border inside it.
   */
  holds(part: Area): boolean {
    if (!this.outline.touches(part.outline, border))
      return part.outline.starts.every((start) => this.#surrounds(start)) && !this.outline.starts.some((start) => part.#surrounds(start));
    return (
      part.outline.arcs.every((arc) => pieces(arc, this.outline).every((middle) => this.#holdsInnerSide(part, arc, middle))) &&
      !this.outline.arcs.some((arc) => pieces(arc, part.outline).some((middle) => part.#holdsInside(middle)))
    );
  }

  #holdsInnerSide(part: Area, arc: Arc, middle: Vector): boolean {
    return [beside, -beside].map((step) => sum(middle, arc.left, step)).every((point) => !part.#surrounds(point) || this.holdsPoint(point));
  }

  #holdsInside(point: Vector): boolean {
    return this.#surrounds(point) && !this.outline.isNear(point, border);
  }

  #surrounds({ x, y, z }: Vector): boolean {
    return this.polygon.containsPoint(new (s2js().s2.Point)(x, y, z));
  }
}

/** The middles of the pieces into which a border cuts the arc. */
function pieces(arc: Arc, other: Outline): readonly Vector[] {
  const from = (point: Vector) => angleBetween(arc.from, point);
  const cuts = other.near(arc, border).flatMap((edge) => cutsOf(arc, edge));
  const all = [arc.from, ...cuts.sort((a, b) => from(a) - from(b)), arc.to];
  return all.flatMap((cut, index) => {
    const next = all[index + 1];
    return next === undefined || angleBetween(cut, next) < beside ? [] : [sum(cut, next)];
  });
}

/** Where `edge` crosses the arc, or ends on it. */
function cutsOf(arc: Arc, edge: Arc): readonly Vector[] {
  if (!areWithin(arc, edge, border)) return [];
  const crossing = crossingOf(arc, edge);
  const ends = [edge.from, edge.to].filter((end) => distanceFrom(arc, end) <= border);
  return crossing === undefined ? ends : [crossing, ...ends];
}
