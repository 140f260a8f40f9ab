// What a storage keeps of the layouts that it has had: ids, where links lie, and the kinds of fields.

import type { EndName, FieldName, IndexName, KeyName, Layout, TypeName, ValueKind } from "../../core/storage.ts";

/** What a storage keeps about its layouts, earlier ones included: ids of types and structures, where links are stored, the kinds of fields. */
export interface LayoutHistory {
  /** The deployed layout as `describeLayout` prints it. */
  readonly layout: string;
  readonly nextId: number;
  /** Every type of any layout, by name. Ids start at 1. */
  readonly types: Readonly<Record<TypeName, number>>;
  readonly fields: Readonly<Record<FieldName, CatalogField>>;
  readonly indexes: Readonly<Record<IndexName, BuiltStructure>>;
  readonly keys: Readonly<Record<KeyName, BuiltStructure>>;
  /** Every named end of any layout, hidden ones included. */
  readonly ends: Readonly<Record<EndName, CatalogEnd>>;
  readonly links: Readonly<Record<number, LinkStore>>;
  /** Structures that nothing reads. A storage frees their space in the background. */
  readonly garbage: readonly number[];
}

/** The latest definition of a field. */
export interface CatalogField {
  readonly kind: ValueKind;
  readonly list: boolean;
  /** Types that ever had the field. */
  readonly types: readonly TypeName[];
  /** The field had another kind before: values are converted when read. */
  readonly converted: boolean;
  /** The id of the derivation; undefined for a field that clients write. */
  readonly derivation: string | undefined;
}

/** An index or key and what it was built for; another signature needs another build. */
export interface BuiltStructure {
  readonly id: number;
  readonly signature: string;
}

/** The latest definition of an end. */
export interface CatalogEnd {
  /** The id of the link store, and the side of it that has the end. */
  readonly links: number;
  readonly side: 0 | 1;
  readonly types: readonly TypeName[];
  readonly partners: readonly TypeName[];
  readonly many: boolean;
  /** The deployed layout has the end. */
  readonly shown: boolean;
}

/** Pairs of nodes that one edge links. */
export interface LinkStore {
  /** The edge is its own inverse: both nodes of a pair have the same ends. */
  readonly symmetric: boolean;
  /** Types of nodes that any layout allowed on each side. */
  readonly types: readonly [readonly TypeName[], readonly TypeName[]];
}

/** The history of a store without any layout. */
export const emptyHistory: LayoutHistory = {
  layout: "",
  nextId: 1,
  types: {},
  fields: {},
  indexes: {},
  keys: {},
  ends: {},
  links: {},
  garbage: [],
};

/** The layout without its functions; equal texts mean equal layouts. */
export function describeLayout(layout: Layout): string {
  return JSON.stringify(layout);
}

/** What `describeLayout` printed, without functions; an empty layout for an empty text. */
export function parseLayout(text: string): Layout {
  return text === "" ? { types: [], fields: [], edges: [], indexes: [], keys: [] } : JSON.parse(text);
}

/** Whether `layout` equals the deployed one, functions aside. */
export function isDeployedLayout(catalog: LayoutHistory & { readonly document: string | undefined }, layout: Layout): boolean {
  return catalog.document !== undefined && catalog.layout === describeLayout(layout);
}
