// The border of an area: its edges below a tree of boxes, so that few of many thousand edges are compared with a point, an edge or a cell. Edges that
// follow one another in a ring are near one another, so the tree is built in the order of the rings.

import { type Arc, arcOf, areWithin, distanceFrom, lengthOf, sum, type Vector } from "./arc.ts";

/** Bounds in space: the least x, y and z, then the greatest. */
type Box = readonly [number, number, number, number, number, number];

/** Above rounding. */
const slack = 1e-15;

export class Outline {
  readonly arcs: readonly Arc[];
  /** A vertex of each ring. */
  readonly starts: readonly Vector[];
  /** The leaves of the tree, a power of two: node `n` has the children `2n` and `2n + 1`, and the box of edge `i` is at `#leaves + i`. */
  readonly #leaves: number;
  readonly #boxes: Float64Array;

  /** @param rings each without repeating its first vertex */
  constructor(rings: readonly (readonly Vector[])[]) {
    this.starts = rings.flatMap((ring) => ring.slice(0, 1));
    this.arcs = rings.flatMap((ring) => ring.map((from, index) => arcOf(from, ring[(index + 1) % ring.length] ?? from)));
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, this.arcs.length)));
    this.#boxes = boxesOf(this.arcs, this.#leaves);
  }

  /** Whether the border is at most `angle` from `point`. */
  isNear(point: Vector, angle: number): boolean {
    return this.#some(boxOfPoint(point), reachOf(angle), (arc) => distanceFrom(arc, point) <= angle);
  }

  /** Whether the border is at most `angle` from the arc. */
  isNearArc(arc: Arc, angle: number): boolean {
    return this.#some(boxOf(arc), reachOf(angle), (each) => areWithin(each, arc, angle));
  }

  /** Whether the borders are at most `angle` apart. */
  touches(other: Outline, angle: number): boolean {
    return other.#some(this.#box(1), reachOf(angle), (arc) => this.isNearArc(arc, angle));
  }

  /** The edges that may be at most `angle` from the arc, and no others that are much farther. */
  near(arc: Arc, angle: number): readonly Arc[] {
    const found: Arc[] = [];
    this.#some(boxOf(arc), reachOf(angle), (each) => {
      found.push(each);
      return false;
    });
    return found;
  }

  /** Whether `test` holds for an edge whose box is within `reach` of `near`. */
  #some(near: Box, reach: number, test: (arc: Arc) => boolean, node = 1): boolean {
    if (gapOf(this.#boxes, node * 6, near) > reach) return false;
    if (node < this.#leaves) return this.#some(near, reach, test, node * 2) || this.#some(near, reach, test, node * 2 + 1);
    const arc = this.arcs[node - this.#leaves];
    return arc !== undefined && test(arc);
  }

  #box(node: number): Box {
    const at = (index: number) => this.#boxes[node * 6 + index] ?? 0;
    return [at(0), at(1), at(2), at(3), at(4), at(5)];
  }
}

function boxesOf(arcs: readonly Arc[], leaves: number): Float64Array {
  const boxes = new Float64Array(leaves * 12);
  for (let node = leaves * 2 - 1; node > 0; node--) {
    const arc = arcs[node - leaves];
    if (node < leaves) unite(boxes, node);
    else boxes.set(arc === undefined ? emptyBox : boxOf(arc), node * 6);
  }
  return boxes;
}

/** Is near nothing. */
const emptyBox: Box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];

function unite(boxes: Float64Array, node: number): void {
  for (let axis = 0; axis < 3; axis++) {
    const [least, most] = [node * 6 + axis, node * 6 + axis + 3];
    boxes[least] = Math.min(boxes[node * 12 + axis] ?? 0, boxes[node * 12 + 6 + axis] ?? 0);
    boxes[most] = Math.max(boxes[node * 12 + axis + 3] ?? 0, boxes[node * 12 + 9 + axis] ?? 0);
  }
}

function boxOfPoint({ x, y, z }: Vector): Box {
  return [x, y, z, x, y, z];
}

function boxOf({ from, to }: Arc): Box {
  // The arc bulges out of its chord: most in its middle.
  const middle = sum(from, to);
  const bulge = lengthOf({ x: middle.x - (from.x + to.x) / 2, y: middle.y - (from.y + to.y) / 2, z: middle.z - (from.z + to.z) / 2 }) + slack;
  return [
    Math.min(from.x, to.x) - bulge,
    Math.min(from.y, to.y) - bulge,
    Math.min(from.z, to.z) - bulge,
    Math.max(from.x, to.x) + bulge,
    Math.max(from.y, to.y) + bulge,
    Math.max(from.z, to.z) + bulge,
  ];
}

/** How far apart two boxes are in space. */
function gapOf(boxes: Float64Array, at: number, near: Box): number {
  let squares = 0;
  for (let axis = 0; axis < 3; axis++) {
    const below = (near[axis] ?? 0) - (boxes[at + axis + 3] ?? 0);
    const above = (boxes[at + axis] ?? 0) - (near[axis + 3] ?? 0);
    const gap = Math.max(below, above, 0);
    squares += gap * gap;
  }
  return Math.sqrt(squares);
}

/** An angle as a distance in space. */
function reachOf(angle: number): number {
  return 2 * Math.sin(Math.min(angle, Math.PI) / 2) + slack;
}
