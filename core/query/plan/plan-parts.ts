// The selections that are no nodes: geometries, aggregates, and values that a plugin hands over as JSON.

import {
  type FieldNode,
  type GraphQLOutputType,
  GraphQLString,
  getNullableType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
} from "graphql";
import type { Measure } from "../../contracts/storage/requests.ts";
import type { Api } from "../../schema/api/api.ts";
import type { GeoMember, GeoPart, JsonMember, JsonSelection, MeasureMember, MeasureSelection, SelectedField } from "../level/shapes.ts";
import { type CollectContext, type CollectedField, collectFields } from "./collect-fields.ts";

/** What stands before a value in an object: the brace or comma, and the key. */
export function opening(position: number, key: string): string {
  return `${position === 0 ? "{" : ","}${JSON.stringify(key)}:`;
}

const geoParts: Readonly<Record<string, { readonly part: GeoPart; readonly type: string }>> = {
  "Point.longitude": { part: "longitude", type: "" },
  "Point.latitude": { part: "latitude", type: "" },
  "PointList.points": { part: "points", type: "Point" },
  "Polygon.coordinates": { part: "coordinates", type: "PointList" },
  "MultiPolygon.polygons": { part: "polygons", type: "Polygon" },
};

export function planGeo(context: CollectContext, typeName: string, nodes: readonly FieldNode[]): readonly GeoMember[] {
  return collectFields(context, typeName, nodes).map((field, i): GeoMember => {
    const found = geoParts[`${typeName}.${field.name}`];
    const base = { opening: opening(i, field.key), text: JSON.stringify(typeName) };
    if (!found) return { ...base, part: "typename", members: [] };
    return { ...base, part: found.part, members: found.type === "" ? [] : planGeo(context, found.type, field.nodes) };
  });
}

export function planMeasures(context: CollectContext & { readonly api: Api }, typeName: string, nodes: readonly FieldNode[]): MeasureSelection {
  const shape = context.api.outputs.get(typeName);
  const known = shape?.kind === "aggregate" ? shape.measures : new Map<string, never>();
  const measures: Measure[] = [];
  const members = collectFields(context, typeName, nodes).map((field, i): MeasureMember => {
    const output = known.get(field.name);
    const base = { key: field.key, opening: opening(i, field.key) };
    if (!output) return { ...base, kind: "typename", text: JSON.stringify(typeName) };
    return { ...base, kind: "measure", measure: placeOf(output.measure, measures), valueKind: output.kind, node: field.node };
  });
  return { measures, members };
}

/** Its place among `measures`, to which it is added when it is new. */
export function placeOf(measure: Measure, measures: Measure[]): number {
  const place = measures.findIndex((each) => each.kind === measure.kind && fieldOf(each) === fieldOf(measure));
  return place >= 0 ? place : measures.push(measure) - 1;
}

function fieldOf(measure: Measure): string | undefined {
  return measure.kind === "count" ? undefined : measure.field;
}

interface JsonContext extends CollectContext {
  readonly api: Pick<Api, "jsonKeys">;
}

export function planJson(context: JsonContext, type: GraphQLOutputType, nodes: Nodes): JsonSelection {
  const byType = new Map<string, readonly JsonMember[]>();
  const members = (typeName: string): readonly JsonMember[] => {
    const known = byType.get(typeName) ?? jsonMembers(context, typeName, nodes);
    byType.set(typeName, known);
    return known;
  };
  const isSubType = (abstract: string, concrete: string): boolean => {
    const [a, c] = [context.schema.getType(abstract), context.schema.getType(concrete)];
    return isAbstractType(a) && isObjectType(c) && context.schema.isSubType(a, c);
  };
  const nullable = getNullableType(type);
  return { type, leaf: isLeafType(nullable) ? nullable : undefined, node: nodes[0], members, isSubType };
}

function jsonMembers(context: JsonContext, typeName: string, nodes: readonly FieldNode[]): readonly JsonMember[] {
  return collectFields(context, typeName, nodes).flatMap((field, i): readonly JsonMember[] => {
    const output = jsonType(context, typeName, field);
    if (!output) return [];
    const source = context.api.jsonKeys.get(`${typeName}.${field.name}`) ?? context.api.jsonKeys.get(`${field.within}.${field.name}`) ?? field.name;
    const selection = planJson(context, output, nodesOf(field));
    return [{ key: field.key, name: field.name, source, opening: opening(i, field.key), selection }];
  });
}

/** A field of an object whose type is not known is one of the fragment's type. */
function jsonType({ schema }: JsonContext, typeName: string, { name, within }: CollectedField): GraphQLOutputType | undefined {
  if (name === "__typename") return GraphQLString;
  for (const each of [typeName, within ?? typeName]) {
    const type = schema.getType(each);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    if (field) return field.type;
  }
  return undefined;
}

type Nodes = readonly [FieldNode, ...FieldNode[]];

export function nodesOf({ node, nodes }: Pick<CollectedField, "node" | "nodes">): Nodes {
  return [node, ...nodes.slice(1)];
}

/** @param parentType the type of the field around */
export function selectedField(
  { schema, fragments }: CollectContext,
  { key, node, nodes, within }: Pick<CollectedField, "key" | "node" | "nodes" | "within">,
  { parentType, type }: Pick<SelectedField, "parentType" | "type">,
): SelectedField {
  return { key, nodes: nodesOf({ node, nodes }), fragments, parentType: within ?? parentType, type, schema };
}
