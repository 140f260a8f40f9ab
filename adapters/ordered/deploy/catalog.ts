// What the store remembers about the layouts it had: ids of types and structures, where the links of every end lie, what fields were.

import type { EndName, FieldName, IndexName, KeyName, Layout, TypeName, ValueKind } from "../../../core/index.ts";

export const formatVersion = 1;

export interface Catalog {
  readonly format: number;
  /** 0: nothing was ever deployed. */
  readonly version: number;
  readonly document: string | undefined;
  /** The deployed layout without its functions, to tell whether another is the same. */
  readonly layout: string;
  readonly nextId: number;
  /** The structure that holds types and records. */
  readonly nodes: number;
  /** Every type there ever was. Ids from 1. */
  readonly types: Readonly<Record<TypeName, number>>;
  readonly fields: Readonly<Record<FieldName, CatalogField>>;
  readonly indexes: Readonly<Record<IndexName, BuiltStructure>>;
  readonly keys: Readonly<Record<KeyName, BuiltStructure>>;
  /** Every named end there ever was, those that the layout no longer shows included. */
  readonly ends: Readonly<Record<EndName, CatalogEnd>>;
  readonly links: Readonly<Record<number, LinkStore>>;
  /** Structures that hold nothing any more; their cells go when there is time. */
  readonly garbage: readonly number[];
  /** Structures of a migration that is under way. One that was cut off leaves them behind, and they become garbage. */
  readonly unfinished: readonly number[];
}

export interface CatalogField {
  readonly kind: ValueKind;
  readonly list: boolean;
  /** Types that ever held it. */
  readonly types: readonly TypeName[];
  /** The kind was another once: values are converted when read. */
  readonly converted: boolean;
  readonly derivation: string | undefined;
}

/** An index or key and what it was built for; another signature needs another build. */
export interface BuiltStructure {
  readonly id: number;
  readonly signature: string;
}

export interface CatalogEnd {
  /** Where its links lie, and seen from which side of it. */
  readonly links: number;
  readonly side: 0 | 1;
  readonly types: readonly TypeName[];
  readonly partners: readonly TypeName[];
  readonly many: boolean;
  /** The deployed layout shows it. */
  readonly shown: boolean;
}

/** Pairs of nodes, kept from both sides. */
export interface LinkStore {
  /** Both sides are one: a pair reads alike from both nodes. */
  readonly symmetric: boolean;
  /** Types of nodes that ever could be on each side. */
  readonly types: readonly [readonly TypeName[], readonly TypeName[]];
}

export const emptyCatalog: Catalog = {
  format: formatVersion,
  version: 0,
  document: undefined,
  layout: "",
  nextId: 2,
  nodes: 1,
  types: {},
  fields: {},
  indexes: {},
  keys: {},
  ends: {},
  links: {},
  garbage: [],
  unfinished: [],
};

/** What must be equal for an index to serve as it is. */
export function indexSignature(layout: Layout, index: Layout["indexes"][number]): string {
  const field = layout.fields.find((each) => each.name === index.field);
  const by = index.by === "value" ? ["value", index.ordered] : ["tokens", index.id];
  return JSON.stringify([...by, index.field, field?.kind, field?.list, field?.derived?.id ?? null]);
}

export function keySignature(layout: Layout, key: Layout["keys"][number]): string {
  const fields = key.fields.map((name) => {
    const field = layout.fields.find((each) => each.name === name);
    return [name, field?.kind, field?.list, field?.derived?.id ?? null];
  });
  return JSON.stringify([fields, [...key.types].sort()]);
}

/** The property of a record that holds a field. A derivation with another id is another property, so that both can be there during a build. */
export function propertyOf(field: { readonly name: FieldName; readonly derived?: { readonly id: string } | undefined }): string {
  return field.derived === undefined ? field.name : `${derivedMark}${field.name}=${field.derived.id}`;
}

export const derivedMark = "=";
