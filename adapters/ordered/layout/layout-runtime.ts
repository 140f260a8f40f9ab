// A layout with the structures that serve it. Reads and writes look up fields, indexes, keys and ends here.

import {
  addToGroup,
  type CompoundIndex as CompoundLayout,
  type EdgeLayout,
  type EndName,
  type FieldLayout,
  type FieldName,
  type IndexLayout,
  type IndexName,
  type KeyLayout,
  type Layout,
  type NearestIndex,
  type Stored,
  type TypeName,
  type Value,
} from "../../../core/storage.ts";
import { type FieldHistory, fieldHistories, type LinkStore, otherSide, StoredField, storeOfEdge, valuesOf } from "../../storage-kit/index.ts";
import type { NearestGraph, NearestGraphOptions } from "../nearest/nearest-graph.ts";
import type { Column } from "../structures/column.ts";
import type { CompoundIndex } from "../structures/compound-index.ts";
import type { NodeStructures } from "../structures/node-structures.ts";
import type { OrderedIndex } from "../structures/ordered-index.ts";
import type { PostingLists } from "../structures/posting-lists.ts";
import type { NodeRecord } from "../structures/records.ts";
import type { Registry } from "../structures/registry.ts";
import { isColumnar } from "../structures/sort-keys.ts";
import { type Catalog, propertyOf } from "./catalog.ts";

export interface LayoutRuntime {
  readonly version: number;
  readonly layout: Layout;
  readonly nodes: NodeStructures;
  readonly typeIds: ReadonlyMap<TypeName, number>;
  /** Every type of any layout, by id. */
  readonly typeNames: ReadonlyMap<number, TypeName>;
  readonly fields: ReadonlyMap<FieldName, FieldRuntime>;
  readonly fieldsByProperty: ReadonlyMap<string, FieldRuntime>;
  readonly indexes: ReadonlyMap<IndexName, IndexRuntime>;
  readonly compounds: readonly CompoundIndexRuntime[];
  /** Indexes for nearest nodes. */
  readonly nearest: readonly NearestRuntime[];
  readonly keys: readonly KeyRuntime[];
  /** Keys of several single fields and ends, each with those of other types over the same: together they hold all nodes that have the first field. */
  readonly compoundKeys: readonly (readonly KeyRuntime[])[];
  /** Including those of hidden edges. */
  readonly linkStores: readonly LinkStoreRuntime[];
  readonly edges: readonly EdgeRuntime[];
  readonly ends: ReadonlyMap<EndName, EndRuntime>;
}

export class FieldRuntime extends StoredField {
  /** The property of a record that holds the field. */
  readonly property: string;
  readonly indexes: FieldIndexRuntime[] = [];
  /** Compound indexes in which it is the last field. */
  readonly compounds: CompoundIndexRuntime[] = [];
  readonly nearest: NearestRuntime[] = [];
  /** Keys of values alone. */
  readonly keys: KeyRuntime[] = [];

  constructor(layout: FieldLayout, history: FieldHistory) {
    super(layout, history);
    this.property = propertyOf(layout);
  }

  get ordered(): OrderedIndexRuntime | undefined {
    return this.indexes.find((each) => each.by === "ordered");
  }

  get column(): Column | undefined {
    return this.ordered?.column;
  }

  get hash(): ListIndexRuntime | undefined {
    return this.indexes.find((each) => each.by === "value");
  }

  /** The field's value in `record`, as its declared type. */
  read(record: NodeRecord): Stored | undefined {
    return this.asDeclared(record[this.property]);
  }

  values(record: NodeRecord): readonly Value[] {
    return valuesOf(this.read(record));
  }
}

export type IndexRuntime = ListIndexRuntime | OrderedIndexRuntime | TokenIndexRuntime | CompoundIndexRuntime;

interface IndexBase {
  readonly id: number;
  readonly name: IndexName;
  readonly field: FieldRuntime;
}
/** Finds equal values; has no order. */
export interface ListIndexRuntime extends IndexBase {
  readonly by: "value";
  readonly lists: PostingLists<string>;
}
export interface TokenIndexRuntime extends IndexBase {
  readonly by: "tokens";
  readonly lists: PostingLists<string>;
  readonly tokens: (value: Value) => Iterable<string>;
}
export interface OrderedIndexRuntime extends IndexBase {
  readonly by: "ordered";
  readonly entries: OrderedIndex;
  /** For single numbers and dates. */
  readonly column: Column | undefined;
}
/** `field` is the last one. */
export interface CompoundIndexRuntime extends IndexBase {
  readonly by: "compound";
  /** The leading fields. */
  readonly within: readonly FieldRuntime[];
  readonly compound: CompoundIndex;
  /** Types of the layout that have all of the fields: no other node is in the index. */
  readonly types: readonly TypeName[];
  readonly typeIds: ReadonlySet<number>;
  /** No other type of the layout has all leading fields: a list holds every node with its values. */
  readonly isComplete: boolean;
}

export interface NearestRuntime extends IndexBase {
  readonly layout: NearestIndex;
  readonly graph: NearestGraph;
}

export interface KeyRuntime {
  readonly id: number;
  readonly layout: KeyLayout;
  readonly fields: readonly FieldRuntime[];
  readonly ends: readonly EndRuntime[];
  readonly types: ReadonlySet<TypeName>;
  readonly lists: PostingLists<string>;
}

/** Pairs of nodes, from both sides. */
export interface LinkStoreRuntime {
  readonly id: number;
  readonly symmetric: boolean;
  /** Partners of a node on the first and on the second side. */
  readonly lists: readonly [PostingLists<number>, PostingLists<number>];
  /** Types of nodes that any layout allowed on each side. */
  readonly types: readonly [ReadonlySet<TypeName>, ReadonlySet<TypeName>];
}

export interface EdgeRuntime {
  readonly layout: EdgeLayout;
  readonly store: LinkStoreRuntime;
  /** The edge's first side is the store's second. */
  readonly flipped: boolean;
  readonly sides: readonly (readonly EndRuntime[])[];
}

export interface EndRuntime {
  readonly name: EndName;
  readonly edge: EdgeRuntime;
  /** 0 when seen from the edge's first side. */
  readonly side: 0 | 1;
  readonly many: boolean;
  readonly types: ReadonlySet<TypeName>;
  readonly partners: ReadonlySet<TypeName>;
  /** Partners of a node that has this end. */
  readonly lists: PostingLists<number>;
  /** Nodes that have this end, by partner. */
  readonly reverse: PostingLists<number>;
  /** Types of nodes the lists may lead to. */
  readonly reaches: ReadonlySet<TypeName>;
  /** The lists lead to no other types than the end's partners. */
  readonly showsAll: boolean;
  /** The lists may start from nodes that do not have this end. */
  readonly guarded: boolean;
}

/** Joins `layout` with the structures that `catalog` names. A missing structure is left out: reads scan instead. */
export function buildLayoutRuntime(layout: Layout, catalog: Catalog, registry: Registry): LayoutRuntime {
  const historyOf = fieldHistories(layout, catalog);
  const fields = new Map(layout.fields.map((field) => [field.name, new FieldRuntime(field, historyOf(field.name))]));
  const indexes = new Map<IndexName, IndexRuntime>();
  for (const index of layout.indexes) {
    const built = catalog.indexes[index.name];
    const field = fields.get(index.field);
    if (built === undefined || field === undefined) continue;
    if (index.by === "nearest") {
      field.nearest.push({ id: built.id, name: index.name, field, layout: index, graph: registry.graph(built.id, optionsOf(index)) });
      continue;
    }
    const runtime =
      index.by === "compound"
        ? compoundRuntime(index, built.id, { layout, fields, catalog, registry })
        : indexRuntime(index, built.id, field, registry);
    indexes.set(index.name, runtime);
    if (runtime.by === "compound") field.compounds.push(runtime);
    else field.indexes.push(runtime);
  }
  const linkStores = new Map(Object.entries(catalog.links).map(([id, store]) => [Number(id), openLinkStore(Number(id), store, registry)]));
  const edges = layout.edges.flatMap((edge) => edgeRuntime(edge, catalog, linkStores) ?? []);
  const ends = new Map(edges.flatMap((edge) => edge.sides.flatMap((side) => side.map((end) => [end.name, end] as const))));
  const keys = layout.keys.flatMap((key) => keyRuntime(key, { fields, ends, catalog, registry }) ?? []);
  return {
    version: catalog.version,
    layout,
    nodes: registry.nodes(catalog.nodes),
    typeIds: new Map(layout.types.map((type) => [type.name, catalog.types[type.name] ?? 0])),
    typeNames: new Map(Object.entries(catalog.types).map(([name, id]) => [id, name])),
    fields,
    fieldsByProperty: new Map([...fields.values()].map((field) => [field.property, field])),
    indexes,
    compounds: [...indexes.values()].filter((index) => index.by === "compound"),
    nearest: [...fields.values()].flatMap((field) => field.nearest),
    keys,
    compoundKeys: compoundKeysOf(keys),
    linkStores: [...linkStores.values()],
    edges,
    ends,
  };
}

function optionsOf({ metric, quantize, buildBreadth }: NearestIndex): NearestGraphOptions {
  return { metric, quantize, buildBreadth };
}

interface CompoundPlaces {
  readonly layout: Layout;
  readonly fields: ReadonlyMap<FieldName, FieldRuntime>;
  readonly catalog: Catalog;
  readonly registry: Registry;
}

function compoundRuntime(index: CompoundLayout, id: number, { layout, fields, catalog, registry }: CompoundPlaces): CompoundIndexRuntime {
  const [field, ...within] = [index.field, ...index.within].map((name) => {
    const known = fields.get(name);
    if (known === undefined) throw new TypeError(`no field ${name} in the layout of the index ${index.name}`);
    return known;
  });
  if (field === undefined) throw new TypeError(`the index ${index.name} has no field`);
  const grouped = layout.types.filter((type) => index.within.every((name) => type.fields.includes(name)));
  const types = grouped.flatMap((type) => (type.fields.includes(index.field) ? [type.name] : []));
  const typeIds = new Set(types.map((name) => catalog.types[name] ?? 0));
  return {
    by: "compound",
    id,
    name: index.name,
    field,
    within,
    types,
    typeIds,
    isComplete: types.length === grouped.length,
    compound: registry.compound(id, field.kind),
  };
}

type FieldIndexRuntime = Exclude<IndexRuntime, CompoundIndexRuntime>;

function indexRuntime(
  index: Exclude<IndexLayout, NearestIndex | CompoundLayout>,
  id: number,
  field: FieldRuntime,
  registry: Registry,
): FieldIndexRuntime {
  const base = { id, name: index.name, field };
  if (index.by === "tokens") return { ...base, by: "tokens", lists: registry.texts(id), tokens: index.tokens };
  if (!index.ordered || field.kind === "geo") return { ...base, by: "value", lists: registry.texts(id) };
  const column = isColumnar(field.kind) && !field.list ? registry.column(id, field.kind) : undefined;
  return { ...base, by: "ordered", entries: registry.ordered(id, field.kind), column };
}

interface KeyPlaces {
  readonly fields: ReadonlyMap<FieldName, FieldRuntime>;
  readonly ends: ReadonlyMap<EndName, EndRuntime>;
  readonly catalog: Catalog;
  readonly registry: Registry;
}

function keyRuntime(key: KeyLayout, { fields, ends, catalog, registry }: KeyPlaces): KeyRuntime | undefined {
  const built = catalog.keys[key.name];
  if (built === undefined) return undefined;
  const runtime: KeyRuntime = {
    id: built.id,
    layout: key,
    fields: key.fields.flatMap((name) => fields.get(name) ?? []),
    ends: (key.ends ?? []).flatMap((name) => ends.get(name) ?? []),
    types: new Set(key.types),
    lists: registry.texts(built.id),
  };
  if (runtime.ends.length === 0) for (const field of runtime.fields) field.keys.push(runtime);
  return runtime;
}

function compoundKeysOf(keys: readonly KeyRuntime[]): readonly (readonly KeyRuntime[])[] {
  const groups = new Map<string, KeyRuntime[]>();
  for (const key of keys) {
    if (key.fields.length === 0 || key.fields.length + key.ends.length < 2 || key.fields.some(({ layout }) => layout.list)) continue;
    const parts = JSON.stringify([key.layout.fields, key.layout.ends]);
    addToGroup(groups, parts, key);
  }
  return [...groups.values()].filter((group) => group[0]?.fields[0]?.types.every((type) => group.some(({ types }) => types.has(type))));
}

export function openLinkStore(id: number, store: LinkStore, registry: Registry): LinkStoreRuntime {
  const first = registry.links(id, 0);
  const second = store.symmetric ? first : registry.links(id, 1);
  return { id, symmetric: store.symmetric, lists: [first, second], types: [new Set(store.types[0]), new Set(store.types[1])] };
}

function edgeRuntime(edge: EdgeLayout, catalog: Catalog, stores: ReadonlyMap<number, LinkStoreRuntime>): EdgeRuntime | undefined {
  const place = storeOfEdge(edge, catalog.ends);
  const store = place && stores.get(place.id);
  if (place === undefined || store === undefined) return undefined;
  const sides: EndRuntime[][] = [];
  const runtime: EdgeRuntime = { layout: edge, store, flipped: place.flipped, sides };
  for (const [s, side] of edge.sides.entries()) {
    const own = s === (place.flipped ? 1 : 0) ? 0 : 1;
    const other = otherSide(own);
    sides.push(
      side.ends.map((end) => ({
        name: end.name,
        edge: runtime,
        side: s === 0 ? 0 : 1,
        many: end.many,
        types: new Set(end.types),
        partners: new Set(end.partners),
        lists: store.lists[own],
        reverse: store.lists[other],
        reaches: store.types[other],
        showsAll: isWithin(store.types[other], end.partners),
        guarded: !isWithin(store.types[own], end.types),
      })),
    );
  }
  return runtime;
}

function isWithin(types: Iterable<TypeName>, known: readonly TypeName[]): boolean {
  for (const type of types) if (!known.includes(type)) return false;
  return true;
}
