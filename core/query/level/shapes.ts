// What objects of each type show: the members of their JSON.

import type { FieldNode, GraphQLLeafType, GraphQLOutputType } from "graphql";
import type { NodeType, ValueField } from "../../contracts/model.ts";
import type { FieldSelection } from "../../contracts/plugin/root-field.ts";
import type { Measure } from "../../contracts/storage/requests.ts";
import type { ValueKind } from "../../ground/values/value.ts";

/** A field of a plugin as the document selects it; only the variables are missing. */
export type SelectedField = Omit<FieldSelection, "variables">;

export interface OutputNullability {
  readonly list: boolean;
  readonly nonNull: boolean;
  readonly itemNonNull: boolean;
}

/** What one concrete type shows, in order. */
export interface Shape {
  readonly type: NodeType;
  readonly members: readonly Member[];
}

interface MemberBase {
  /** The name in the answer. */
  readonly key: string;
  /** What stands before the value: `{"name":` or `,"name":`. */
  readonly opening: string;
  /** For the place of errors. */
  readonly node: FieldNode;
}

export type Member = TypenameMember | IdMember | ValueMember | StepMember;
export interface TypenameMember extends MemberBase {
  readonly kind: "typename";
  /** In JSON. */
  readonly text: string;
}
export interface IdMember extends MemberBase {
  readonly kind: "id";
}
export interface ValueMember extends MemberBase {
  readonly kind: "value";
  readonly field: ValueField;
  readonly column: number;
  readonly geo: readonly GeoMember[] | undefined;
}
export interface StepMember extends MemberBase {
  readonly kind: "step";
  /** Index in the level's `steps`. */
  readonly step: number;
}

/** Parts of `Point`, `PointList`, `Polygon` or `MultiPolygon`. */
export interface GeoMember {
  readonly opening: string;
  readonly part: GeoPart;
  /** The type's name in JSON, for `__typename`. */
  readonly text: string;
  readonly members: readonly GeoMember[];
}
export type GeoPart = "typename" | "longitude" | "latitude" | "points" | "coordinates" | "polygons";

export interface MeasureSelection {
  /** Distinct. */
  readonly measures: readonly Measure[];
  readonly members: readonly MeasureMember[];
}
export type MeasureMember = { readonly key: string; readonly opening: string } & (
  | { readonly kind: "typename"; readonly text: string }
  | ({ readonly kind: "measure" } & MeasurePlace)
);
export interface MeasurePlace {
  /** Index in the measures. */
  readonly measure: number;
  readonly valueKind: ValueKind;
  /** For the place of errors. */
  readonly node: FieldNode;
}

/** A value that a plugin hands over as JSON, cut to the selection by its GraphQL type. */
export interface JsonSelection {
  readonly type: GraphQLOutputType;
  /** The type without its `!`, where that is a scalar or an enum. */
  readonly leaf: GraphQLLeafType | undefined;
  readonly node: FieldNode;
  /** What an object of the type shows; of an interface or union: an object whose type is not known. */
  readonly members: (typeName: string) => readonly JsonMember[];
  readonly isSubType: (abstract: string, concrete: string) => boolean;
}
export interface JsonMember {
  readonly key: string;
  readonly name: string;
  /** The key in the JSON. */
  readonly source: string;
  readonly opening: string;
  readonly selection: JsonSelection;
}
