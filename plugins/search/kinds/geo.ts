// Places: `point` serves points, `polygon` and `multiPolygon` areas. A list field matches by any of its values.

import type { Geometry, Predicate, Value } from "../../../core/index.ts";
import { multiPolygonOf, polygonOf, positionOf } from "../geo/input.ts";
import { intersect, isNear, isWithin, type Region, regionOf } from "../geo/region.ts";
import type { IndexKind, Operator, Operators, SearchTarget } from "./kind.ts";
import { invalid, members, operator } from "./operand.ts";

export const point = places("point", "Point", "PointGeoFilter", (target) => ({ near: near(target), within: within(target) }));
export const polygon = places("polygon", "Polygon", "PolygonGeoFilter", areaOperators);
export const multiPolygon = places("multiPolygon", "MultiPolygon", "PolygonGeoFilter", areaOperators);

function places(name: string, type: string, input: string, operators: (target: SearchTarget) => Operators): IndexKind {
  return { name, fits: [type], defaultFor: [type], search: (target) => ({ input, builtIn: true, operators: operators(target) }) };
}

function areaOperators(target: SearchTarget): Operators {
  return { near: near(target), within: within(target), contains: contains(target), intersects: intersects(target) };
}

function near(target: SearchTarget): Operator {
  return operator("NearFilter", members, ({ coordinate, distance }) => {
    const metres = distanceOf(distance);
    const center: Geometry = { type: "Point", coordinates: positionOf(coordinate) };
    return found(target, "near", { metres, center }, center, (value, from) => isNear(value, from, metres));
  });
}

function within(target: SearchTarget): Operator {
  return operator("WithinFilter", members, ({ polygon }) => {
    const outer = polygonOf(polygon);
    return found(target, "within", outer, outer, isWithin);
  });
}

function contains(target: SearchTarget): Operator {
  return operator("ContainsFilter", members, ({ point, polygon }) => {
    const inner = polygon ? polygonOf(polygon) : point ? pointOf(point) : undefined;
    if (inner === undefined) throw invalid("contains needs a point or a polygon");
    return found(target, "contains", inner, inner, (value, wanted) => isWithin(wanted, value));
  });
}

function intersects(target: SearchTarget): Operator {
  return operator("IntersectsFilter", members, ({ polygon, multiPolygon }) => {
    const other = polygon ? polygonOf(polygon) : multiPolygon ? multiPolygonOf(multiPolygon) : undefined;
    if (other === undefined) throw invalid("intersects needs a polygon or a multiPolygon");
    return found(target, "intersects", other, other, intersect);
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

/** `operand` as printed; `wanted` is prepared once for all values. */
function found(
  target: SearchTarget,
  name: string,
  operand: object,
  wanted: Geometry,
  relation: (value: Region, wanted: Region) => boolean,
): Predicate {
  const region = regionOf(wanted);
  const holds = (values: readonly Value[]) => values.some((value) => typeof value === "object" && relation(regionOf(value), region));
  return { kind: "check", field: target.field.stored, test: { id: `${name}@1 ${JSON.stringify(operand)}`, holds } };
}
