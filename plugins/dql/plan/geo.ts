// `near within contains intersects`: coordinates of a document become operands of the field's filter.

import { type Geometry, isGeometry, none, or, type Predicate, runAtOnce, type Value } from "../../../core/plugin.ts";
import { parseFloatText, textOf } from "../language/inputs.ts";
import { refusal } from "../language/problem.ts";
import type { Argument, Call } from "../language/syntax.ts";
import type { ConditionContext, FieldAbout } from "./context.ts";
import { filterCondition } from "./text.ts";

export function geoCondition(call: Call, about: FieldAbout): Predicate {
  const { field, context } = about;
  const wanted = call.name === "near" ? 2 : 1;
  if (call.arguments.length !== wanted) throw refusal(`${call.name} function requires ${wanted} arguments, but got ${call.arguments.length}`);
  if (field.kind !== "geo") return none;
  const { tokens } = context.catalog.indexesOf(field.name);
  if (tokens.size === 0) throw refusal(`Predicate ${field.name} is not indexed`);
  const shape = shapeOf(coordinatesOf(call.arguments[0], context));
  const ask = (operator: string, operand: unknown) => runAtOnce(filterCondition(context.catalog, { field, operator, operand }));
  const isPoints = tokens.has("point");
  switch (call.name) {
    case "near":
      if (shape.kind !== "point") throw refusal("near function requires a point");
      return ask("near", { coordinate: shape.point, distance: distanceOf(call.arguments[1], context) });
    case "within":
      if (shape.kind === "point") throw refusal("Require a polygon for within query");
      return or(...shape.polygons.map((polygon) => ask("within", { polygon })));
    case "contains":
      if (isPoints) return none;
      if (shape.kind === "point") return withHolesFilled(ask("contains", { point: shape.point }));
      return or(...shape.polygons.map((polygon) => withHolesFilled(ask("contains", { polygon }))));
    default:
      if (shape.kind === "point")
        return isPoints ? ask("near", { coordinate: shape.point, distance: 0.01 }) : ask("contains", { point: shape.point });
      // A point intersects the areas that it lies in.
      return or(...shape.polygons.map((polygon) => ask(isPoints ? "within" : "intersects", { polygon })));
  }
}

/**
 * In DQL an area contains what lies in its holes. The index does not know the cells of a hole, so the areas with holes are tested one by one;
 * the others are looked up.
 */
function withHolesFilled(condition: Predicate): Predicate {
  if (condition.kind !== "check") return condition;
  const { field, test } = condition;
  const holds = (values: readonly Value[]) => {
    const filled = values.flatMap((value) => (isGeometry(value) && hasHoles(value) ? [filledOf(value)] : []));
    return filled.length > 0 && test.holds(filled);
  };
  return or(condition, { kind: "check", field, test: { id: `dql-holes-filled@1 ${test.id}`, holds } });
}

function hasHoles(area: Geometry): boolean {
  if (area.type === "Point") return false;
  return area.type === "Polygon" ? area.coordinates.length > 1 : area.coordinates.some((rings) => rings.length > 1);
}

/** The same object for the same area: what is derived from an area is cached by it. */
const filledAreas = new WeakMap<Geometry, Geometry>();

function filledOf(area: Geometry): Geometry {
  const known = filledAreas.get(area);
  if (known) return known;
  const filled = fill(area);
  filledAreas.set(area, filled);
  return filled;
}

function fill(area: Geometry): Geometry {
  switch (area.type) {
    case "Point":
      return area;
    case "Polygon":
      return { type: "Polygon", coordinates: area.coordinates.slice(0, 1) };
    case "MultiPolygon":
      return { type: "MultiPolygon", coordinates: area.coordinates.map((rings) => rings.slice(0, 1)) };
  }
}

type Nested = number | readonly Nested[];

function coordinatesOf(argument: Argument | undefined, context: ConditionContext): Nested {
  if (argument?.kind === "list") return argument.items.map((item) => coordinatesOf(item, context));
  if (argument?.kind !== "text" && argument?.kind !== "variable") throw refusal("Expected coordinates: [longitude, latitude]");
  const text = textOf(argument, context.inputs);
  return text.trim().startsWith("[") ? fromJson(text) : numberOf(text);
}

function numberOf(text: string): number {
  const value = parseFloatText(text);
  if (value === undefined) throw refusal(`Expected a number of degrees. Got: ${text}`);
  return value;
}

function fromJson(text: string): Nested {
  try {
    return nested(JSON.parse(text));
  } catch {
    throw refusal(`Expected coordinates: [longitude, latitude]. Got: ${text.slice(0, 100)}`);
  }
}

function nested(value: unknown): Nested {
  if (typeof value === "number") return value;
  if (Array.isArray(value)) return value.map(nested);
  throw refusal("Expected numbers");
}

interface PointInput {
  readonly longitude: number;
  readonly latitude: number;
}
interface PolygonInput {
  readonly coordinates: readonly { readonly points: readonly PointInput[] }[];
}
type Shape = { readonly kind: "point"; readonly point: PointInput } | { readonly kind: "polygons"; readonly polygons: readonly PolygonInput[] };

/** One level of brackets is a point, three are a polygon, four are several. */
function shapeOf(coordinates: Nested): Shape {
  switch (depthOf(coordinates)) {
    case 1:
      return { kind: "point", point: pointOf(coordinates) };
    case 3:
      return { kind: "polygons", polygons: [polygonOf(coordinates)] };
    case 4:
      return { kind: "polygons", polygons: itemsOf(coordinates).map(polygonOf) };
    default:
      throw refusal("Expected a point [longitude, latitude] or a polygon [[[longitude, latitude], ...]]");
  }
}

function depthOf(coordinates: Nested): number {
  let depth = 0;
  for (let inner: Nested | undefined = coordinates; typeof inner === "object"; inner = inner[0]) depth++;
  return depth;
}

function itemsOf(coordinates: Nested): readonly Nested[] {
  if (typeof coordinates === "number") throw refusal("Expected brackets around coordinates");
  return coordinates;
}

function pointOf(coordinates: Nested): PointInput {
  const [longitude, latitude] = itemsOf(coordinates);
  if (typeof longitude !== "number" || typeof latitude !== "number") throw refusal("A point is [longitude, latitude]");
  return { longitude, latitude };
}

function polygonOf(coordinates: Nested): PolygonInput {
  return { coordinates: itemsOf(coordinates).map((ring) => ({ points: itemsOf(ring).map(pointOf) })) };
}

function distanceOf(argument: Argument | undefined, context: ConditionContext): number {
  if (argument?.kind !== "text" && argument?.kind !== "variable") throw refusal("near function requires a distance in metres");
  const distance = parseFloatText(textOf(argument, context.inputs));
  if (distance === undefined) throw refusal("near function requires a distance in metres");
  if (distance < 0) throw refusal("Distance cannot be negative");
  return distance;
}
