// Geometries as S2 cells: squares on the sphere, each with four children. When two geometries share a point, the indexed cells of one and the
// looked-up cells of the other share a token. Poles and the date line need no special case.

import type { s2 } from "s2js";
import type { Geometry } from "../../../core/plugin.ts";
import { type Arc, arcOf } from "./arc.ts";
import type { Area } from "./area.ts";
import { type Region, regionOf } from "./region.ts";
import { s2js } from "./s2js.ts";

/** Coverings have cells of all these levels, from 2,000 km wide ones to 150 m. */
const coarsest = 2;
const finest = 16;
/** Cells in a covering. More cells fit closer but cost more: computing them is half the cost of storing an area. */
const mostCells = 6;
/** Only every second level of ancestors is indexed. A search replaces a cell of another level by its four children. */
const step = 2;
/** In radians (six millimetres), so that geometries which touch within rounding share a cell. */
const margin = 1e-9;

/** The version of the token format. */
export const cellsId = `s2@2 ${coarsest}-${finest}/${step}`;

/** The tokens of a stored geometry: its cells, marked `=`, and their ancestors on every second level, marked `<`. A point has only the latter. */
export function tokensOf(geometry: Geometry): readonly string[] {
  const { point, areas } = regionOf(geometry);
  if (point !== undefined) return keptAround(s2js().s2.cellid.fromPoint(point)).map(inside);
  const cells = areas.flatMap(({ polygon }) => [...coverer().covering(polygon)]);
  return [...new Set([...cells.map(exactly), ...cells.flatMap(keptAround).map(inside)])];
}

/**
 * Tokens such that every geometry that shares a point with `region` has at least one; undefined when they would cover half the globe or more.
 *
 * @param radius in radians: includes geometries within this distance
 */
export function searchTokens(region: Region, radius = 0): readonly string[] | undefined {
  const wide = radius + margin;
  if (wide > Math.PI / 2) return undefined;
  const { point, areas } = region;
  const shapes = point !== undefined ? [s2js().s2.Cap.fromCenterAngle(point, wide)] : areas.map((area) => new Widened(area, wide));
  const cells = shapes.flatMap((shape) => [...coverer().covering(shape)]);
  return [...new Set([...cells.flatMap(keptWithin).map(inside), ...cells.flatMap((cell) => around(cell, 1)).map(exactly)])];
}

let made: s2.RegionCoverer | undefined;

function coverer(): s2.RegionCoverer {
  made ??= new (s2js().s2.RegionCoverer)({ minLevel: coarsest, maxLevel: finest, maxCells: mostCells });
  return made;
}

/** The cell and its ancestors, on every `apart`th level from the coarsest. */
function around(cell: bigint, apart: number): readonly bigint[] {
  const { cellid } = s2js().s2;
  const found: bigint[] = [];
  for (let level = coarsest; level <= Math.min(finest, cellid.level(cell)); level += apart) found.push(cellid.parent(cell, level));
  return found;
}

function keptAround(cell: bigint): readonly bigint[] {
  return around(cell, step);
}

/** The cell as cells of an indexed level: every smaller cell is in one of them. */
function keptWithin(cell: bigint): readonly bigint[] {
  const { cellid } = s2js().s2;
  return (cellid.level(cell) - coarsest) % step === 0 ? [cell] : cellid.children(cell);
}

function inside(cell: bigint): string {
  return `<${s2js().s2.cellid.toToken(cell)}`;
}

function exactly(cell: bigint): string {
  return `=${s2js().s2.cellid.toToken(cell)}`;
}

/** An area and its surroundings within `radius`, as a region for the coverer. */
class Widened implements s2.Region {
  readonly #area: Area;
  readonly #radius: number;
  readonly #bound: s2.Cap;

  constructor(area: Area, radius: number) {
    this.#area = area;
    this.#radius = radius;
    this.#bound = area.polygon.capBound().expanded(radius);
  }

  containsCell(cell: s2.Cell): boolean {
    return this.#area.polygon.containsCell(cell);
  }

  intersectsCell(cell: s2.Cell): boolean {
    if (this.#area.polygon.intersectsCell(cell)) return true;
    return this.#bound.intersectsCell(cell) && bordersOf(cell).some((arc) => this.#area.outline.isNearArc(arc, this.#radius));
  }

  containsPoint(point: s2.Point): boolean {
    return this.#area.polygon.containsPoint(point);
  }

  cellUnionBound(): bigint[] {
    return this.#bound.cellUnionBound();
  }
}

function bordersOf(cell: s2.Cell): readonly Arc[] {
  return [0, 1, 2, 3].map((corner) => arcOf(cell.vertex(corner), cell.vertex((corner + 1) % 4)));
}
