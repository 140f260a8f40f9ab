// What a root field selects, resolved against the generated API: levels of nodes with the columns, links, aggregates and
// computed values that each reads. One level becomes one batch.

import type { FieldNode, GraphQLLeafType, GraphQLOutputType } from "graphql";
import type { LinkField, NodeType, UnionType, ValueField } from "../../contracts/model.ts";
import type { ComputedField } from "../../contracts/plugin/computed-field.ts";
import type { FieldSelection } from "../../contracts/plugin/root-field.ts";
import type { Measure } from "../../contracts/storage/requests.ts";
import type { EndName, FieldName, TypeName, ValueKind } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";
import type { GroupShape } from "../../schema/api/api.ts";

export type Variables = Readonly<Record<string, unknown>>;

/** The selection of one root field. `@skip`, `@include` and `@cascade` may depend on variables, so the selection does too. */
export interface Selection {
  /** The same object for the same values of those variables. */
  readonly select: (variables: Variables) => RootShape;
  /** What is left to plan before `select` answers at once; undefined: nothing. */
  readonly plan: (variables: Variables) => Work<unknown> | undefined;
  /** As if every condition that depends on a variable were met; for printing. */
  readonly whole: () => RootShape;
}

export type RootShape =
  /** One node, or a list of them. */
  | { readonly kind: "nodes"; readonly level: Level; readonly type: OutputNullability; readonly selected?: SelectedField }
  /** `aggregate<T>` */
  | { readonly kind: "measures"; readonly measures: MeasureSelection; readonly arguments: PlannedArguments }
  /** `group<T>` */
  | { readonly kind: "groups"; readonly groups: GroupSelection }
  /** `query<T>Connection` */
  | { readonly kind: "connection"; readonly connection: ConnectionSelection }
  | { readonly kind: "payload"; readonly members: readonly PayloadMember[]; readonly filters: NodeType }
  /** A plugin's own value: completed by its GraphQL type. */
  | { readonly kind: "json"; readonly json: JsonSelection; readonly selected: SelectedField };

/** A field of a plugin as the document selects it; only the variables are missing. */
export type SelectedField = Omit<FieldSelection, "variables">;

export interface OutputNullability {
  readonly list: boolean;
  readonly nonNull: boolean;
  readonly itemNonNull: boolean;
}

/** Objects read together: everything is asked for all of them at once. */
export interface Level {
  readonly target: NodeType | UnionType;
  /** The concrete types its nodes may be of. */
  readonly types: readonly NodeType[];
  /** What an object of each type shows, by stored name. */
  readonly shapes: ReadonlyMap<TypeName, Shape>;
  /** Members of the widest shape: how much work one object is. */
  readonly width: number;
  /** Stored fields and single ends, each once. */
  readonly columns: readonly (FieldName | EndName)[];
  readonly links: readonly LinkStep[];
  readonly aggregates: readonly AggregateStep[];
  readonly connections: readonly ConnectionStep[];
  readonly groups: readonly GroupStep[];
  readonly computed: readonly ComputedStep[];
  /** What `@cascade` asks every object to have; outer list: all of them, inner list: by the object's type. */
  readonly cascade: readonly Requirement[];
  readonly arguments: PlannedArguments;
  /** No variable in the arguments here or below. */
  readonly constant: boolean;
}

/** The arguments of one field as the `graphql` package coerces them; null counts as not given. */
export interface PlannedArguments {
  readonly constant: boolean;
  readonly values: (variables: Variables) => Variables;
  /** As written: `(first: 10)`, empty without arguments. */
  readonly text: string;
}

export interface LinkStep {
  readonly field: LinkField;
  /** Concrete types of the parents that select it so. */
  readonly types: ReadonlySet<TypeName>;
  /** All types of the parent level select it. */
  readonly everyType: boolean;
  readonly many: boolean;
  /** Column with the partner's uid; only for single ends without a filter. */
  readonly column: number | undefined;
  readonly level: Level;
  /** `crew: boats` for people. */
  readonly label: string;
}

export interface AggregateStep {
  readonly field: LinkField;
  readonly types: ReadonlySet<TypeName>;
  readonly everyType: boolean;
  readonly arguments: PlannedArguments;
  readonly measures: MeasureSelection;
  readonly label: string;
}

export interface ConnectionStep {
  readonly field: LinkField;
  readonly types: ReadonlySet<TypeName>;
  readonly everyType: boolean;
  readonly connection: ConnectionSelection;
  readonly label: string;
}

export interface GroupStep {
  readonly field: LinkField;
  readonly types: ReadonlySet<TypeName>;
  readonly everyType: boolean;
  readonly groups: GroupSelection;
  readonly label: string;
}

/** Groups of nodes. */
export interface GroupSelection {
  readonly shape: GroupShape;
  readonly members: readonly GroupMember[];
  /** Distinct. */
  readonly measures: readonly Measure[];
  /** The objects of keys that are links, one level for each place that selects them. */
  readonly links: readonly { readonly field: LinkField; readonly level: Level }[];
  readonly arguments: PlannedArguments;
}

export type GroupMember = { readonly key: string; readonly opening: string } & (
  | { readonly kind: "typename"; readonly text: string }
  | ({ readonly kind: "measure" } & MeasurePlace)
  | { readonly kind: "key"; readonly members: readonly GroupKeyMember[] }
);
export type GroupKeyMember = { readonly key: string; readonly opening: string } & (
  | { readonly kind: "typename"; readonly text: string }
  | { readonly kind: "value"; readonly field: ValueField }
  /** Index in `links`. */
  | { readonly kind: "link"; readonly field: LinkField; readonly link: number }
);

/** A list in pages. */
export interface ConnectionSelection {
  /** The nodes of one page, by the place that selects them; at least one. All have the same filter and order. */
  readonly places: readonly Level[];
  readonly members: readonly ConnectionMember[];
  /** With the page. */
  readonly arguments: PlannedArguments;
  /** `totalCount`, `hasNextPage`, `hasPreviousPage` are selected. */
  readonly counts: boolean;
  readonly asksNext: boolean;
  readonly asksPrevious: boolean;
}

export type ConnectionMember = { readonly key: string; readonly opening: string } & (
  | { readonly kind: "typename"; readonly text: string }
  | { readonly kind: "totalCount" }
  /** Index in `places`. */
  | { readonly kind: "nodes"; readonly place: number }
  | { readonly kind: "edges"; readonly members: readonly EdgeMember[] }
  | { readonly kind: "pageInfo"; readonly members: readonly PageInfoMember[] }
);
export type EdgeMember = { readonly key: string; readonly opening: string } & (
  | { readonly kind: "typename"; readonly text: string }
  | { readonly kind: "cursor" }
  | { readonly kind: "node"; readonly place: number }
);
export interface PageInfoMember {
  readonly opening: string;
  readonly kind: "typename" | "hasNextPage" | "hasPreviousPage" | "startCursor" | "endCursor";
}

export interface ComputedStep {
  readonly computed: ComputedField;
  readonly types: ReadonlySet<TypeName>;
  readonly everyType: boolean;
  /** Columns that hold `needs`. */
  readonly needs: readonly number[];
  readonly arguments: PlannedArguments;
  readonly selected: SelectedField;
}

export type Requirement = readonly RequirementCase[];
/** Objects of `types` (undefined: of any) need the value, enough partners, or a partner whose field has a value to measure. */
export interface RequirementCase {
  readonly types: readonly TypeName[] | undefined;
  readonly needs:
    | { readonly kind: "value"; readonly field: FieldName }
    | { readonly kind: "link"; readonly link: number }
    | { readonly kind: "measure"; readonly aggregate: number; readonly field: FieldName };
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

export type Member = TypenameMember | IdMember | ValueMember | LinkMember | AggregateMember | ConnectionLinkMember | GroupsMember | ComputedMember;
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
export interface LinkMember extends MemberBase {
  readonly kind: "link";
  readonly field: LinkField;
  /** Index in the level's `links`. */
  readonly link: number;
}
export interface AggregateMember extends MemberBase {
  readonly kind: "aggregate";
  readonly aggregate: number;
}
export interface ConnectionLinkMember extends MemberBase {
  readonly kind: "connection";
  /** Index in the level's `connections`. */
  readonly connection: number;
}
export interface GroupsMember extends MemberBase {
  readonly kind: "groups";
  /** Index in the level's `groups`. */
  readonly groups: number;
}
export interface ComputedMember extends MemberBase {
  readonly kind: "computed";
  /** How its values are completed. */
  readonly json: JsonSelection;
  /** Index in the level's `computed`. */
  readonly computed: number;
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

export type PayloadMember = { readonly key: string; readonly opening: string } & (
  | { readonly kind: "typename"; readonly text: string }
  | { readonly kind: "numUids" | "msg" }
  | { readonly kind: "list"; readonly node: FieldNode; readonly level: Level; readonly type: OutputNullability }
);

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
