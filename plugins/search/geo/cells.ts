// Places as S2 cells: squares of the globe, each with four children. What an index holds of a place and what a search looks up
// have a cell in common, or one a cell inside the other's, whenever the places share a point. Poles and the date line are cells like any.

import { s1, s2 } from "s2js";
import type { Geometry } from "../../../core/index.ts";
import { type Region, regionOf } from "./region.ts";

/** Coverings have cells of all these levels, from 2,000 km wide ones to 150 m. */
const coarsest = 2;
const finest = 16;
/** So many in a covering. More fit closer, and take longer to find: half of what it costs to store an area is finding its cells. */
const mostCells = 6;
/** Of the cells around those of a value every second level is kept. A search looks up the four children of a cell of another level. */
const step = 2;
/** In radians; six millimetres. What touches by rounding shares a cell for sure. */
const margin = 1e-9;

/** Version of the tokens below. */
export const cellsId = `s2@2 ${coarsest}-${finest}/${step}`;

/** The cells of a geometry, marked `=`, and those of every second level around them or themselves, marked `<`. A point has only the latter. */
export function tokensOf(geometry: Geometry): readonly string[] {
  const { point, areas } = regionOf(geometry);
  if (point !== undefined) return keptAround(s2.cellid.fromPoint(point)).map(inside);
  const cells = areas.flatMap(({ polygon }) => [...coverer.covering(polygon)]);
  return [...new Set([...cells.map(exactly), ...cells.flatMap(keptAround).map(inside)])];
}

/**
 * Tokens of which everything that shares a point with `region` has one; undefined where that were half the globe and more.
 *
 * @param radius in radians: what is so near counts too
 */
export function searchTokens(region: Region, radius = 0): readonly string[] | undefined {
  const wide = radius + margin;
  if (wide > Math.PI / 2) return undefined;
  const { point, areas } = region;
  const shapes =
    point !== undefined ? [s2.Cap.fromCenterAngle(point, wide)] : areas.map(({ polygon, outline }) => new Widened(polygon, outline, wide));
  const cells = shapes.flatMap((shape) => [...coverer.covering(shape)]);
  return [...new Set([...cells.flatMap(keptWithin).map(inside), ...cells.flatMap((cell) => around(cell, 1)).map(exactly)])];
}

const coverer = new s2.RegionCoverer({ minLevel: coarsest, maxLevel: finest, maxCells: mostCells });

/** The cell itself and the larger ones that hold it, those of every `apart`th level from the coarsest on. */
function around(cell: bigint, apart: number): readonly bigint[] {
  const found: bigint[] = [];
  for (let level = coarsest; level <= Math.min(finest, s2.cellid.level(cell)); level += apart) found.push(s2.cellid.parent(cell, level));
  return found;
}

function keptAround(cell: bigint): readonly bigint[] {
  return around(cell, step);
}

/** The cell as cells whose level is kept: whatever is smaller than it is in one of them. */
function keptWithin(cell: bigint): readonly bigint[] {
  return (s2.cellid.level(cell) - coarsest) % step === 0 ? [cell] : s2.cellid.children(cell);
}

function inside(cell: bigint): string {
  return `<${s2.cellid.toToken(cell)}`;
}

function exactly(cell: bigint): string {
  return `=${s2.cellid.toToken(cell)}`;
}

/** A polygon and what is nearer to it than `radius`, as the coverer sees a shape. */
class Widened implements s2.Region {
  readonly #polygon: s2.Polygon;
  readonly #outline: s2.ClosestEdgeQuery;
  readonly #radius: s1.chordangle.ChordAngle;
  readonly #bound: s2.Cap;

  constructor(polygon: s2.Polygon, outline: s2.ClosestEdgeQuery, radius: number) {
    this.#polygon = polygon;
    this.#outline = outline;
    this.#radius = s1.chordangle.fromAngle(radius);
    this.#bound = polygon.capBound().expanded(radius);
  }

  containsCell(cell: s2.Cell): boolean {
    return this.#polygon.containsCell(cell);
  }

  intersectsCell(cell: s2.Cell): boolean {
    if (this.#polygon.intersectsCell(cell)) return true;
    return this.#bound.intersectsCell(cell) && this.#outline.isDistanceLessOrEqual(new s2.EdgeQueryCellTarget(cell), this.#radius);
  }

  containsPoint(point: s2.Point): boolean {
    return this.#polygon.containsPoint(point);
  }

  cellUnionBound(): bigint[] {
    return this.#bound.cellUnionBound();
  }
}
