// Places: `point` serves points, `polygon` and `multiPolygon` areas. A list field matches by any of its values. Cells of the globe
// narrow the places to look at.

import type { Geometry, Predicate, Value } from "../../../core/index.ts";
import { cellsId, searchTokens, tokensOf } from "../geo/cells.ts";
import { multiPolygonOf, polygonOf, positionOf } from "../geo/input.ts";
import { angleOf, intersect, isNear, isWithin, type Region, regionOf, regionOfStored } from "../geo/region.ts";
import type { IndexKind, Operator, Operators, SearchTarget } from "./kind.ts";
import { invalid, members, operator } from "./operand.ts";
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
      index: { by: "tokens", id: cellsId, tokens: (value) => (typeof value === "object" ? tokensOf(value) : []) },
    }),
  };
}

function areaOperators(target: SearchTarget): Operators {
  return { near: near(target), within: within(target), contains: contains(target), intersects: intersects(target) };
}

function near(target: SearchTarget): Operator {
  return operator("NearFilter", members, ({ coordinate, distance }) => {
    const metres = distanceOf(distance);
    const center: Geometry = { type: "Point", coordinates: positionOf(coordinate) };
    const radius = angleOf(metres);
    return found(target, {
      id: `near@1 ${JSON.stringify({ metres, center })}`,
      wanted: regionOf(center),
      radius,
      holds: (value, from) => isNear(value, from, radius),
    });
  });
}

function within(target: SearchTarget): Operator {
  return operator("WithinFilter", members, ({ polygon }) => {
    const outer = polygonOf(polygon);
    return found(target, { id: `within@1 ${JSON.stringify(outer)}`, wanted: regionOf(outer), holds: isWithin });
  });
}

function contains(target: SearchTarget): Operator {
  return operator("ContainsFilter", members, ({ point, polygon }) => {
    const inner = polygon ? polygonOf(polygon) : point ? pointOf(point) : undefined;
    if (inner === undefined) throw invalid("contains needs a point or a polygon");
    const holds = (value: Region, wanted: Region) => isWithin(wanted, value);
    return found(target, { id: `contains@1 ${JSON.stringify(inner)}`, wanted: regionOf(inner), holds });
  });
}

function intersects(target: SearchTarget): Operator {
  return operator("IntersectsFilter", members, ({ polygon, multiPolygon }) => {
    const other = polygon ? polygonOf(polygon) : multiPolygon ? multiPolygonOf(multiPolygon) : undefined;
    if (other === undefined) throw invalid("intersects needs a polygon or a multiPolygon");
    return found(target, { id: `intersects@1 ${JSON.stringify(other)}`, wanted: regionOf(other), holds: intersect });
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

/** A relation of a value to what is wanted that holds only where they share a point, or come as near as `radius`. */
interface Relation {
  readonly id: string;
  readonly wanted: Region;
  readonly radius?: number;
  readonly holds: (value: Region, wanted: Region) => boolean;
}

function found(target: SearchTarget, { id, wanted, radius = 0, holds }: Relation): Predicate {
  const tokens = searchTokens(wanted, radius);
  const test = { id, holds: (values: readonly Value[]) => values.some((value) => typeof value === "object" && holds(regionOfStored(value), wanted)) };
  return { kind: "check", field: target.field.stored, test, ...(tokens && { within: lookup(target, "any", tokens) }) };
}
