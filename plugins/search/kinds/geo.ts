// Geo kinds: `point` for points, `polygon` and `multiPolygon` for areas. A list field matches when one of its values does. S2 cells narrow the
// candidates.

import { LRUCache } from "lru-cache";
import { type Geometry, isGeometry, type Predicate, type Value } from "../../../core/plugin.ts";
import { cellsId, searchTokens, tokensOf } from "../geo/cells.ts";
import { multiPolygonOf, polygonOf, positionOf } from "../geo/input.ts";
import { angleOf, cornersOf, intersect, isNear, isWithin, type Region, regionOf, regionOfStored } from "../geo/region.ts";
import type { IndexKind, Operator, Operators, SearchTarget } from "../ground/kind.ts";
import { invalid, members, operator } from "../ground/operand.ts";
import { lookup } from "./tokens.ts";

export const point = places("point", "Point", "PointGeoFilter", (target) => ({ near: near(target), within: within(target) }));
export const polygon = places("polygon", "Polygon", "PolygonGeoFilter", areaOperators);
export const multiPolygon = places("multiPolygon", "MultiPolygon", "PolygonGeoFilter", areaOperators);

function places(name: string, type: string, input: string, operators: (target: SearchTarget) => Operators): IndexKind {
  return {
    name,
    fits: [type],
    defaultFor: [type],
    search: (target) => ({
      input,
      builtIn: true,
      operators: operators(target),
      index: { by: "tokens", id: cellsId, tokens: (value) => (isGeometry(value) ? tokensOf(value) : []) },
    }),
  };
}

function areaOperators(target: SearchTarget): Operators {
  return { near: near(target), within: within(target), contains: contains(target), intersects: intersects(target) };
}

function near(target: SearchTarget): Operator {
  return operator("NearFilter", members, ({ coordinate, distance }) => {
    const radius = angleOf(distanceOf(distance));
    const center = pointOf(coordinate);
    return found(target, { name: "near@1", wanted: center, radius, holds: (value, from) => isNear(value, from, radius) });
  });
}

function within(target: SearchTarget): Operator {
  return operator("WithinFilter", members, ({ polygon }) => {
    return found(target, { name: "within@1", wanted: polygonOf(polygon), holds: isWithin });
  });
}

function contains(target: SearchTarget): Operator {
  return operator("ContainsFilter", members, ({ point, polygon }) => {
    const inner = polygon ? polygonOf(polygon) : point ? pointOf(point) : undefined;
    if (inner === undefined) throw invalid("contains needs a point or a polygon");
    const holds = (value: Region, wanted: Region) => isWithin(wanted, value);
    return found(target, { name: "contains@1", wanted: inner, holds });
  });
}

function intersects(target: SearchTarget): Operator {
  return operator("IntersectsFilter", members, ({ polygon, multiPolygon }) => {
    const other = polygon ? polygonOf(polygon) : multiPolygon ? multiPolygonOf(multiPolygon) : undefined;
    if (other === undefined) throw invalid("intersects needs a polygon or a multiPolygon");
    return found(target, { name: "intersects@1", wanted: other, holds: intersect });
  });
}

function pointOf(input: unknown): Geometry {
  return { type: "Point", coordinates: positionOf(input) };
}

function distanceOf(metres: unknown): number {
  if (typeof metres !== "number" || metres === 0) throw invalid("Invalid max distance specified for a near query");
  if (metres < 0) throw invalid("Distance cannot be negative");
  return metres;
}

/** A relation that implies that value and operand share a point, or are within `radius` of each other. */
interface Relation {
  readonly name: string;
  readonly wanted: Geometry;
  /** In radians. */
  readonly radius?: number;
  readonly holds: (value: Region, wanted: Region) => boolean;
}

function found(target: SearchTarget, { name, wanted, radius, holds }: Relation): Predicate {
  const { id, region, tokens } = soughtOf(wanted, radius);
  const test = {
    id: `${name} ${id}`,
    holds: (values: readonly Value[]) => values.some((value) => isGeometry(value) && holds(regionOfStored(value), region)),
  };
  return { kind: "check", field: target.field.stored, test, ...(tokens && { within: lookup(target, "any", tokens) }) };
}

// The operand of a geo filter, as a region and as the tokens to look up. Cached: maps query the same areas repeatedly, and covering one takes half a
// millisecond.

interface Sought {
  /** Identifies geometry and radius. */
  readonly id: string;
  readonly region: Region;
  /** Undefined: the region is so large that all values are scanned. */
  readonly tokens: readonly string[] | undefined;
}

/** The size of the cache: vertices and tokens of all entries. */
const maxKeptSize = 100_000;
const kept = new LRUCache<string, Sought>({ maxSize: maxKeptSize });

/** @param radius in radians: includes values within this distance of the geometry */
function soughtOf(geometry: Geometry, radius = 0): Sought {
  const id = JSON.stringify([geometry, radius]);
  const known = kept.get(id);
  if (known !== undefined) return known;
  const region = regionOf(geometry);
  const sought: Sought = { id, region, tokens: searchTokens(region, radius) };
  kept.set(id, sought, { size: 10 + cornersOf(region) + (sought.tokens?.length ?? 0) });
  return sought;
}
