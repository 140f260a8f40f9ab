// What writing needs to know of a schema: what predicates hold, and which values fit them.

import {
  addToGroup,
  type EndName,
  type FieldLayout,
  type FieldName,
  type LayoutIndex,
  layoutIndexOf,
  type NodeType,
  type ServedSchema,
  type TypeName,
  type ValueField,
} from "../../../core/plugin.ts";
import { Catalog } from "../schema/catalog.ts";

export interface WrittenField {
  readonly layout: FieldLayout;
  /** The fields of the schema that are stored so, of whatever types. */
  readonly declared: readonly ValueField[];
}

export interface WriteFacts {
  readonly catalog: Catalog;
  readonly index: LayoutIndex;
  readonly fields: ReadonlyMap<FieldName, WrittenField>;
  /** The fields that nodes of a concrete type have and that can be written. */
  readonly fieldsOf: (type: TypeName) => ReadonlySet<FieldName>;
  /** The fields that are keys by themselves. */
  readonly keys: ReadonlySet<FieldName>;
  /** The ends that predicates name. */
  readonly ends: readonly EndName[];
  /** The ends that nodes of a concrete type have. */
  readonly endsOf: (type: TypeName) => readonly EndName[];
  /** The concrete type of the schema with this text of `dgraph.type`. */
  readonly isConcrete: (name: string) => boolean;
  /** The texts of `dgraph.type` that a node of a type has. */
  readonly namesOf: (type: TypeName) => readonly string[];
  /** Whether the edge of the end may link nodes of these types. */
  readonly isNative: (end: EndName, from: TypeName | undefined, to: TypeName | undefined) => boolean;
}

/** The facts of the schema that is served, found once for each deployment. */
export class FactsCache {
  #layout: ServedSchema["layout"] | undefined;
  #facts: WriteFacts | undefined;

  of(schema: ServedSchema): WriteFacts {
    if (this.#facts === undefined || this.#layout !== schema.layout) {
      this.#facts = findFacts(schema);
      this.#layout = schema.layout;
    }
    return this.#facts;
  }
}

function findFacts(schema: ServedSchema): WriteFacts {
  const { layout, model } = schema;
  const catalog = new Catalog(schema);
  const index = layoutIndexOf(layout);
  const declared = new Map<FieldName, ValueField[]>();
  for (const field of valueFields([...model.nodeTypes.values()])) addToGroup(declared, field.stored, field);
  const derived = new Set(layout.fields.flatMap((field) => (field.derived ? [field.name] : [])));
  const types = new Map(layout.types.map(({ name, fields }) => [name, new Set(fields.filter((field) => !derived.has(field)))]));
  const ends = layout.edges.flatMap(({ sides }) => sides.flatMap((side) => side.ends));
  const none: ReadonlySet<FieldName> = new Set();
  return {
    catalog,
    index,
    fields: new Map(
      layout.fields.flatMap((field): [FieldName, WrittenField][] =>
        field.derived ? [] : [[field.name, { layout: field, declared: declared.get(field.name) ?? [] }]],
      ),
    ),
    keys: new Set(layout.keys.flatMap(({ fields, ends: linked }) => (fields.length === 1 && !linked ? fields : []))),
    fieldsOf: (type) => types.get(type) ?? none,
    ends: ends.flatMap(({ name }) => (name.startsWith("~") ? [] : [name])),
    endsOf: (type) => ends.flatMap((end) => (end.types.includes(type) ? [end.name] : [])),
    isConcrete: (name) => catalog.types.includes(name),
    namesOf: (type) => catalog.typeNamesOf(type),
    isNative: (end, from, to) => {
      const side = index.edges.end(end);
      return side !== undefined && from !== undefined && to !== undefined && side.types.includes(from) && isPartner(index, end, from, to);
    },
  };
}

/** A side may have several ends, each for partners of other types. */
function isPartner(index: LayoutIndex, end: EndName, from: TypeName, to: TypeName): boolean {
  const [first, second] = index.edges.sidesOf(index.edges.direction(end).edge);
  return [...first, ...second].some((each) => sameSide(index, each.name, end) && each.types.includes(from) && each.partners.includes(to));
}

function sameSide({ edges }: LayoutIndex, one: EndName, other: EndName): boolean {
  const [a, b] = [edges.direction(one), edges.direction(other)];
  return a.edge === b.edge && a.reads === b.reads;
}

function valueFields(types: readonly NodeType[]): readonly ValueField[] {
  return types.flatMap((type) => [...type.fields.values()]).filter((field) => field.role === "value");
}
