// The generated API as data: the meaning of each root field, output type, input and filter. The planner looks names up
// here and never parses them.

import type { GraphQLSchema } from "graphql";
import type { Field, LinkField, NodeType, UnionType, ValueField } from "../../contracts/model.ts";
import type { NearestArgument } from "../../contracts/plugin/api-additions.ts";
import type { ComputedField } from "../../contracts/plugin/computed-field.ts";
import type { FieldFilter } from "../../contracts/plugin/field-filter.ts";
import type { ShownField } from "../../contracts/plugin/hooks.ts";
import type { ListKind } from "../../contracts/plugin/level-step.ts";
import type { LinkFilter } from "../../contracts/plugin/link-filter.ts";
import type { LinkOrder } from "../../contracts/plugin/link-order.ts";
import type { RootField } from "../../contracts/plugin/root-field.ts";
import type { UpdateMember } from "../../contracts/plugin/update-member.ts";
import type { Measure } from "../../contracts/storage/requests.ts";
import type { FieldName, TypeName, ValueKind } from "../../ground/values/value.ts";

/** The API of one deployment. */
export interface Api {
  /** The schema that clients see and that requests are validated against. */
  readonly schema: GraphQLSchema;
  /** The generated schema as text, in the layout of the reference (3.13). */
  readonly sdl: string;
  readonly queries: ReadonlyMap<string, RootOperation>;
  readonly mutations: ReadonlyMap<string, RootOperation>;
  /** A subset of `queries`, with the same names. */
  readonly subscriptions: ReadonlyMap<string, RootOperation>;
  /** By name of the query that has the argument. */
  readonly nearest: ReadonlyMap<string, NamedNearest>;
  /** Members of the update input of a type, by its name. */
  readonly updates: ReadonlyMap<string, readonly NamedUpdate[]>;
  /** By name of the output type. */
  readonly outputs: ReadonlyMap<string, OutputShape>;
  /** By name of a `<T>Filter` input. */
  readonly filters: ReadonlyMap<string, FilterShape>;
  /** The same by node type. */
  readonly filterOf: ReadonlyMap<NodeType, FilterShape>;
  /** Some filter has members for links. */
  readonly filtersByLinks: boolean;
  /** By name of a `<U>Filter` input. */
  readonly unionFilters: ReadonlyMap<string, UnionFilterShape>;
  /** Members of `<T>Order` that are links, by name of the type `T`. */
  readonly linkOrders: ReadonlyMap<string, ReadonlyMap<string, LinkOrder>>;
  /** By name of an Add, Patch or Ref input of a node type. */
  readonly inputs: ReadonlyMap<string, InputShape>;
  /** By name of a `<U>Ref` input: member type by field name. */
  readonly unionInputs: ReadonlyMap<string, ReadonlyMap<string, NodeType>>;
  /** Names of directives on mutations that run their root fields in one transaction. */
  readonly atomic: ReadonlySet<string>;
  /** Names of directives on fields that bound how many nodes an update or a delete is about. */
  readonly counting: ReadonlySet<string>;
  /** The key of a field in JSON of plugins, by `Type.field`, where it is not the field's name. */
  readonly jsonKeys: ReadonlyMap<string, string>;
  /** Fields of which callers get other values than the stored ones; undefined: there are none. */
  readonly shown: ShownFields | undefined;
}

/** By stored name, then by concrete type. */
export type ShownFields = ReadonlyMap<FieldName, ReadonlyMap<TypeName, ShownValue>>;

/** What a plugin shows of one field. */
export interface ShownValue extends ShownField {
  readonly plugin: string;
}

/** A plugin's argument for nearest nodes, with its name. */
export interface NamedNearest extends NearestArgument {
  readonly name: string;
}

/** A plugin's member of an update input, with its name. */
export interface NamedUpdate extends UpdateMember {
  readonly name: string;
  readonly plugin: string;
}

export type RootOperation =
  | { readonly kind: "get" | "query" | "aggregate" | "add" | "update" | "delete"; readonly node: NodeType }
  | { readonly kind: "list"; readonly node: NodeType; readonly list: ListKind }
  | { readonly kind: "plugin"; readonly root: RootField };

export type OutputShape =
  /** An object type or an interface. */
  | { readonly kind: "node"; readonly node: NodeType; readonly fields: ReadonlyMap<string, OutputField> }
  | { readonly kind: "union"; readonly union: UnionType }
  /** `<T>AggregateResult` */
  | { readonly kind: "aggregate"; readonly node: NodeType; readonly measures: ReadonlyMap<string, OutputMeasure> }
  /** `Add|Update|Delete<T>Payload`; `list` is the field that holds the objects. */
  | { readonly kind: "payload"; readonly node: NodeType; readonly list: string }
  /** `Point`, `PointList`, `Polygon`, `MultiPolygon`. */
  | { readonly kind: "geo" };

export type OutputField =
  | { readonly kind: "field"; readonly field: Field }
  | { readonly kind: "computed"; readonly computed: ComputedField }
  /** `<f>Aggregate` */
  | { readonly kind: "aggregate"; readonly of: LinkField }
  /** A list of a plugin's kind beside a link. */
  | { readonly kind: "list"; readonly of: LinkField; readonly list: ListKind };

/** A measure that aggregates and groups show. */
export interface OutputMeasure {
  readonly measure: Measure;
  /** The kind of the result: that of the field, `float` for averages, `int` for the count. */
  readonly kind: ValueKind;
  readonly field: ValueField | undefined;
}

/** Members of `<T>Filter` besides `has`, `and`, `or` and `not`. */
export interface FilterShape {
  readonly node: NodeType;
  /** The member that takes IDs; undefined if the type has no ID. */
  readonly id: string | undefined;
  readonly fields: ReadonlyMap<string, FieldFilter>;
  /** What is compared, by stored name. */
  readonly values: ReadonlyMap<FieldName, { readonly kind: ValueKind; readonly list: boolean }>;
  /** Conditions on partners. */
  readonly links: ReadonlyMap<string, LinkFilter>;
}

export interface UnionFilterShape {
  readonly union: UnionType;
  /** `boatFilter` and the like. */
  readonly members: ReadonlyMap<string, NodeType>;
}

export interface InputShape {
  readonly role: "add" | "patch" | "ref";
  readonly node: NodeType;
}
