// What the deployed schema has for each name of an export: fields, ends of edges, types.

import type { EdgeLayout, End, EnumType, FieldName, KeyLayout, Layout, Model, TypeName, ValueKind } from "../../../core/plugin.ts";

/** A deployment, or a schema that is only prepared. */
export interface Schema {
  readonly model: Model;
  readonly layout: Layout;
}

/** A stored field that an import may write. */
export interface TargetField {
  readonly index: number;
  readonly name: FieldName;
  readonly kind: ValueKind;
  readonly list: boolean;
  /** The GraphQL type: of a geometry `Point`, `Polygon` or `MultiPolygon`. */
  readonly graphqlType: string | undefined;
  readonly enum: EnumType | undefined;
}

/** An end of an edge that an import may write through. */
export interface TargetEnd {
  readonly index: number;
  readonly end: End;
  readonly edge: EdgeLayout;
  readonly edgeIndex: number;
  /** 0 or 1. */
  readonly side: number;
  /** False: it shows links that the other side states; nothing is stored under its name. */
  readonly isStated: boolean;
}

export interface TargetType {
  readonly index: number;
  readonly name: TypeName;
  /** A plugin keeps it for itself: no type of the schema has it. */
  readonly isHidden: boolean;
  readonly fields: ReadonlySet<FieldName>;
  /** Names of the fields that are non-null in GraphQL: values, and links. */
  readonly required: readonly FieldName[];
  readonly keys: readonly TargetKey[];
}

export interface TargetKey {
  readonly index: number;
  readonly layout: KeyLayout;
}

/** The schema that data are imported into, by predicate. */
export class Target {
  readonly fields: ReadonlyMap<FieldName, TargetField>;
  readonly fieldList: readonly TargetField[];
  readonly ends: ReadonlyMap<string, TargetEnd>;
  readonly endList: readonly TargetEnd[];
  readonly edgeList: readonly EdgeLayout[];
  readonly types: ReadonlyMap<TypeName, TargetType>;
  readonly typeList: readonly TargetType[];
  /** Storage names of interfaces: a node has them beside its type. */
  readonly interfaces: ReadonlySet<TypeName>;

  constructor({ model, layout }: Schema) {
    const modelFields = [...model.nodeTypes.values()].flatMap((type) => [...type.fields.values()]);
    const values = new Map(modelFields.flatMap((field) => (field.role === "value" ? [[field.stored, field] as const] : [])));
    this.fieldList = layout.fields
      .filter(({ derived }) => derived === undefined)
      .map(({ name, kind, list }, index) => ({ index, name, kind, list, graphqlType: values.get(name)?.type.name, enum: values.get(name)?.enum }));
    this.fields = new Map(this.fieldList.map((field) => [field.name, field]));
    const reversed = new Set(modelFields.flatMap((field) => (field.role === "link" && field.reverseOf !== undefined ? [field.stored] : [])));
    const isStated = (name: string) => !name.startsWith("~") && !reversed.has(name);
    this.edgeList = layout.edges;
    this.endList = layout.edges
      .flatMap((edge, edgeIndex) => edge.sides.flatMap((side, i) => side.ends.map((end) => ({ end, edge, edgeIndex, side: i }))))
      .map((each, index) => ({ ...each, index, isStated: isStated(each.end.name) }));
    this.ends = new Map(this.endList.map((each) => [each.end.name, each]));
    const nodeTypes = [...model.nodeTypes.values()];
    const objects = new Map(nodeTypes.flatMap((type) => (type.kind === "object" ? [[type.stored, type] as const] : [])));
    this.typeList = layout.types.map(({ name, fields }, index) => ({
      index,
      name,
      isHidden: !objects.has(name),
      fields: new Set(fields),
      required: [...(objects.get(name)?.fields.values() ?? [])].flatMap((field) =>
        field.type.nonNull && (field.role === "value" || (field.role === "link" && isStated(field.stored))) ? [field.stored] : [],
      ),
      keys: layout.keys.flatMap((key, at) => (key.types.includes(name) ? [{ index: at, layout: key }] : [])),
    }));
    this.types = new Map(this.typeList.map((type) => [type.name, type]));
    this.interfaces = new Set(nodeTypes.flatMap(({ kind, stored }) => (kind === "interface" ? [stored] : [])));
  }

  /** The end on `side` of the edge that leads from a node of `type` to a node of `partner`; undefined: that side shows no such link. */
  endAt(edge: EdgeLayout, side: number, type: TypeName, partner: TypeName): TargetEnd | undefined {
    const ends = edge.sides[side]?.ends ?? [];
    const found = ends.find((end) => end.types.includes(type) && end.partners.includes(partner));
    return found === undefined ? undefined : this.ends.get(found.name);
  }
}
