// A layout with the structures that the catalog names. Reads and writes look up fields, indexes, keys and ends here.

import {
  type CompoundIndex,
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
  sameStored,
  type Token,
  type TypeName,
  type Uid,
  type Value,
  type Work,
} from "../../../core/storage.ts";
import { type FieldHistory, fieldHistories, type KeyParts, otherSide, StoredField, valuesOf } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import type { Catalog, LinkPlacement } from "./catalog.ts";
import { derivedProperty, keyCollection, linkProperty, propertyOf } from "./names.ts";
import { type StoredEdge, storedEdges, uniqueNear } from "./placement.ts";
import { backText, type UniqueEntries } from "./unique-entries.ts";
import { decodeStored, encodeStored, equalityText } from "./values.ts";

export interface LayoutRuntime {
  readonly version: number;
  /** Laid out for a sharded cluster. */
  readonly sharded: boolean;
  readonly layout: Layout;
  /** The types of the layout. */
  readonly types: readonly TypeName[];
  /** Every type of any layout. */
  readonly allTypes: readonly TypeName[];
  readonly fields: ReadonlyMap<FieldName, FieldRuntime>;
  readonly indexes: ReadonlyMap<IndexName, IndexRuntime>;
  readonly compounds: readonly CompoundRuntime[];
  readonly tokenIndexes: readonly TokenIndexRuntime[];
  readonly derived: readonly FieldRuntime[];
  readonly keys: readonly KeyRuntime[];
  /** Of keys that are not native, and of links back. */
  readonly uniqueEntries: readonly UniqueEntries[];
  readonly stores: ReadonlyMap<number, StoreRuntime>;
  readonly edges: readonly EdgeRuntime[];
  readonly ends: ReadonlyMap<EndName, EndRuntime>;
}

export class FieldRuntime extends StoredField {
  /** The field is a list now and held a single value once, which may be stored without an array. */
  readonly onceSingle: boolean;
  /** Types of the layout that have it. */
  readonly holders: ReadonlySet<TypeName>;
  readonly indexes: IndexRuntime[] = [];
  /** Keys of values alone. */
  readonly keys: KeyRuntime[] = [];
  readonly #properties = new Map<TypeName, string>();

  constructor(layout: FieldLayout, history: FieldHistory, { onceSingle }: { readonly onceSingle: boolean }) {
    super(layout, history);
    this.onceSingle = onceSingle;
    this.holders = new Set(history.holders);
  }

  /** The property that holds it in documents of `type`. */
  property(type: TypeName): string {
    let property = this.#properties.get(type);
    if (property === undefined) {
      const plain = propertyOf(type, this.name);
      property = this.layout.derived === undefined ? plain : derivedProperty(plain, this.layout.derived.id);
      this.#properties.set(type, property);
    }
    return property;
  }

  /** The path that comparisons and orders use. */
  path(type: TypeName): string {
    return this.kind === "dateTime" ? `${this.property(type)}.utc` : this.property(type);
  }

  /** The field's value in `doc`, as its declared type. */
  read(type: TypeName, doc: Doc): Stored | undefined {
    return this.asDeclared(decodeStored(doc[this.property(type)]));
  }

  values(type: TypeName, doc: Doc): readonly Value[] {
    return valuesOf(this.read(type, doc));
  }
}

export type IndexRuntime = ValueIndexRuntime | TokenIndexRuntime;
export interface ValueIndexRuntime {
  readonly by: "value";
  readonly id: number;
  readonly name: IndexName;
  readonly field: FieldRuntime;
  readonly ordered: boolean;
}
export interface TokenIndexRuntime {
  readonly by: "tokens";
  readonly id: number;
  readonly name: IndexName;
  readonly field: FieldRuntime;
  readonly tokens: (value: Value) => Iterable<string>;
}

/** An index of MongoDB over several fields, which its planner chooses. */
export interface CompoundRuntime {
  readonly id: number;
  readonly name: IndexName;
  /** The last field. */
  readonly field: FieldRuntime;
  readonly within: readonly FieldRuntime[];
}

export interface KeyRuntime {
  readonly id: number;
  readonly layout: KeyLayout;
  readonly native: boolean;
  readonly fields: readonly FieldRuntime[];
  /** Their links are fields of the documents that have the key. */
  readonly ends: readonly EndRuntime[];
  readonly types: ReadonlySet<TypeName>;
}

export interface StoreRuntime {
  readonly id: number;
  readonly symmetric: boolean;
  readonly placement: LinkPlacement;
  /** Types of nodes that any layout allowed on each side. */
  readonly types: readonly [readonly TypeName[], readonly TypeName[]];
  /** The edge of the layout that the store belongs to; undefined for a hidden edge. */
  edge: EdgeRuntime | undefined;
  /** In a sharded database: of the types whose nodes are the only ones of their type that lead to their partner. */
  backs: UniqueEntries | undefined;
}

export interface EdgeRuntime {
  readonly layout: EdgeLayout;
  readonly store: StoreRuntime;
  /** The edge's first side is the store's second. */
  readonly flipped: boolean;
  readonly sides: readonly (readonly EndRuntime[])[];
}

export interface EndRuntime {
  readonly name: EndName;
  readonly edge: EdgeRuntime;
  readonly store: StoreRuntime;
  /** The side of the store that has this end. */
  readonly own: 0 | 1;
  readonly many: boolean;
  readonly types: ReadonlySet<TypeName>;
  readonly partners: ReadonlySet<TypeName>;
  /** The links are stored in the documents of the nodes that have this end. */
  readonly near: boolean;
}

/** The property that holds a store's links in documents of a type. */
export function linkPropertyOf(store: Pick<StoreRuntime, "placement">, type: TypeName): string {
  return store.placement.shape === "field" ? linkProperty(type, store.placement.field, store.placement.number) : "";
}

export function buildLayoutRuntime(layout: Layout, catalog: Catalog): LayoutRuntime {
  const fields = fieldRuntimes(layout, catalog);
  const indexes = new Map<IndexName, IndexRuntime>();
  for (const index of layout.indexes) {
    const built = catalog.indexes[index.name];
    const field = fields.get(index.field);
    // Nearest nodes are found by a scan, without an index.
    if (built === undefined || field === undefined || index.by === "nearest" || index.by === "compound") continue;
    const runtime = indexRuntime(index, built.id, field);
    indexes.set(index.name, runtime);
    field.indexes.push(runtime);
  }
  const stores = storesOf(catalog);
  const stored = storedEdges(layout, catalog);
  const edges = stored.flatMap((each) => edgeRuntime(each, stores) ?? []);
  const ends = new Map(edges.flatMap((edge) => edge.sides.flatMap((side) => side.map((end) => [end.name, end] as const))));
  const types = layout.types.map((type) => type.name);
  const backs = catalog.sharded ? stored.flatMap((each) => backsOf(each, { stores, types }) ?? []) : [];
  const keys = layout.keys.flatMap((key) => keyRuntime(key, { fields, ends, catalog }) ?? []);
  return {
    version: catalog.version,
    sharded: catalog.sharded,
    layout,
    types,
    allTypes: Object.keys(catalog.types),
    fields,
    indexes,
    compounds: layout.indexes.flatMap((index) => (index.by === "compound" ? (compoundRuntime(index, { fields, catalog }) ?? []) : [])),
    tokenIndexes: [...indexes.values()].filter((index) => index.by === "tokens"),
    derived: [...fields.values()].filter((field) => field.layout.derived !== undefined),
    keys,
    uniqueEntries: [...keys.filter((key) => !key.native).map(entriesOfKey), ...backs],
    stores,
    edges,
    ends,
  };
}

function fieldRuntimes(layout: Layout, catalog: Catalog): ReadonlyMap<FieldName, FieldRuntime> {
  const historyOf = fieldHistories(layout, catalog);
  const onceSingle = new Set(catalog.onceSingle);
  return new Map(
    layout.fields.map((field) => [field.name, new FieldRuntime(field, historyOf(field.name), { onceSingle: onceSingle.has(field.name) })]),
  );
}

function compoundRuntime(
  { name, field: last, within }: CompoundIndex,
  { fields, catalog }: Pick<KeyPlaces, "fields" | "catalog">,
): CompoundRuntime | undefined {
  const built = catalog.indexes[name];
  const field = fields.get(last);
  if (built === undefined || field === undefined) return undefined;
  return { id: built.id, name, field, within: within.flatMap((each) => fields.get(each) ?? []) };
}

function indexRuntime(index: Exclude<IndexLayout, NearestIndex | CompoundIndex>, id: number, field: FieldRuntime): IndexRuntime {
  const base = { id, name: index.name, field };
  return index.by === "tokens" ? { ...base, by: "tokens", tokens: index.tokens } : { ...base, by: "value", ordered: index.ordered };
}

interface KeyPlaces {
  readonly fields: ReadonlyMap<FieldName, FieldRuntime>;
  readonly ends: ReadonlyMap<EndName, EndRuntime>;
  readonly catalog: Catalog;
}

/** Undefined for a key that nothing has to keep. */
function keyRuntime(key: KeyLayout, { fields, ends, catalog }: KeyPlaces): KeyRuntime | undefined {
  const built = catalog.keys[key.name];
  const place = built && catalog.keyPlaces[built.id];
  if (built === undefined || place === "implied") return undefined;
  const runtime: KeyRuntime = {
    id: built.id,
    layout: key,
    native: place === "native",
    fields: key.fields.flatMap((name) => fields.get(name) ?? []),
    ends: (key.ends ?? []).flatMap((name) => ends.get(name) ?? []),
    types: new Set(key.types),
  };
  if (runtime.ends.length === 0) for (const field of runtime.fields) field.keys.push(runtime);
  return runtime;
}

/** The partner in the document of a node; undefined: it has none. */
function partnerOf({ store }: EndRuntime, type: TypeName, doc: Doc): Uid | undefined {
  const partner = doc[linkPropertyOf(store, type)];
  return partner === undefined || partner === null ? undefined : Number(partner);
}

/** What a node holds of a key, as errors print it. */
export function keyPartsOf(key: KeyRuntime, type: TypeName, doc: Doc): KeyParts {
  return { values: key.fields.map((field) => field.read(type, doc)), partners: key.ends.map((end) => partnerOf(end, type, doc)) };
}

/** The properties of documents of `type` that hold a key. */
export function keyPropertiesOf(key: KeyRuntime, type: TypeName): readonly string[] {
  return [...key.fields.map((field) => field.property(type)), ...key.ends.map(({ store }) => linkPropertyOf(store, type))];
}

/** The same as paths of comparisons. */
export function keyPathsOf(key: KeyRuntime, type: TypeName): readonly string[] {
  return [...key.fields.map((field) => field.path(type)), ...key.ends.map(({ store }) => linkPropertyOf(store, type))];
}

function storesOf(catalog: Catalog): Map<number, StoreRuntime> {
  const stores = new Map<number, StoreRuntime>();
  for (const [id, store] of Object.entries(catalog.links)) {
    const placement = catalog.places[Number(id)];
    if (placement !== undefined) stores.set(Number(id), { id: Number(id), ...store, placement, edge: undefined, backs: undefined });
  }
  return stores;
}

function edgeRuntime({ edge, id, flipped }: StoredEdge, stores: ReadonlyMap<number, StoreRuntime>): EdgeRuntime | undefined {
  const store = stores.get(id);
  if (store === undefined) return undefined;
  const sides: EndRuntime[][] = [];
  const runtime: EdgeRuntime = { layout: edge, store, flipped, sides };
  store.edge = runtime;
  for (const [s, side] of edge.sides.entries()) {
    const own = s === (flipped ? 1 : 0) ? 0 : 1;
    sides.push(
      side.ends.map((end) => ({
        name: end.name,
        edge: runtime,
        store,
        own,
        many: end.many,
        types: new Set(end.types),
        partners: new Set(end.partners),
        near: store.placement.shape === "field" && (store.symmetric || store.placement.side === own),
      })),
    );
  }
  return runtime;
}

function entriesOfKey(key: KeyRuntime): UniqueEntries {
  const { name } = key.layout;
  return {
    collection: keyCollection(key.id),
    what: `key ${name}`,
    name,
    types: key.types,
    edges: new Map(key.ends.map(({ edge, store }) => [edge.layout.name, store.id])),
    textOf: (type, doc) => (key.types.has(type) ? keyTextOf(key, type, doc) : undefined),
  };
}

/** Undefined: several nodes of each type may lead to a partner. */
function backsOf(
  stored: StoredEdge,
  { stores, types: all }: { readonly stores: ReadonlyMap<number, StoreRuntime>; readonly types: readonly TypeName[] },
): UniqueEntries | undefined {
  const store = stores.get(stored.id);
  if (store?.placement.shape !== "field") return undefined;
  const { placement } = store;
  const types = new Set(all.filter((type) => store.types[placement.side].includes(type) && uniqueNear(stored, placement, type)));
  if (types.size === 0) return undefined;
  const { name } = stored.edge;
  store.backs = {
    collection: keyCollection(store.id),
    what: `edge ${name}`,
    name,
    types,
    edges: new Map([[name, store.id]]),
    textOf(type, doc) {
      const partner = doc[linkPropertyOf(store, type)];
      return !types.has(type) || partner === undefined || partner === null ? undefined : backText(Number(partner), type);
    },
  };
  return store.backs;
}

/** The ends of one side of a store, as the deployed layout shows them. */
export function endsOfSide(store: StoreRuntime, side: 0 | 1): readonly EndRuntime[] {
  const { edge } = store;
  if (edge === undefined) return [];
  return edge.sides[edge.sides.length === 1 ? 0 : edge.flipped ? otherSide(side) : side] ?? [];
}

/** The text of a node's key; undefined when a part is missing: such a node takes no key. */
export function keyTextOf(key: KeyRuntime, type: TypeName, doc: Doc): string | undefined {
  const parts: string[] = [];
  for (const field of key.fields) {
    const texts = field.values(type, doc).map((value) => equalityText(field.kind, value));
    const known = texts.filter((text) => text !== undefined);
    if (known.length === 0 || known.length < texts.length) return undefined;
    parts.push(known.length === 1 ? (known[0] ?? "") : JSON.stringify(known));
  }
  for (const end of key.ends) {
    const partner = partnerOf(end, type, doc);
    if (partner === undefined) return undefined;
    parts.push(String(partner));
  }
  return keyTextOfParts(parts);
}

/** The text of a key from those of its parts. */
export function keyTextOfParts(parts: readonly string[]): string | undefined {
  return parts.length <= 1 ? parts[0] : JSON.stringify(parts);
}

/** Distinct entries of a node in an index, by text, each with its name in the change record. */
export function* entriesOf(index: IndexRuntime, type: TypeName, doc: Doc | undefined): Work<ReadonlyMap<string, Token | Value>> {
  const entries = new Map<string, Token | Value>();
  if (doc === undefined) return entries;
  let left = stepEntries;
  for (const value of index.field.values(type, doc)) {
    const text = equalityText(index.field.kind, value);
    if (text === undefined) continue;
    if (index.by === "value") entries.set(text, value);
    else {
      for (const token of index.tokens(value)) {
        entries.set(token, token);
        if (--left > 0) continue;
        left = stepEntries;
        yield;
      }
    }
  }
  return entries;
}

/** Entries of one step: less than a millisecond. */
const stepEntries = 64;

/** The index tokens of a node as its document stores them. */
export function* tokensOf(schema: Pick<LayoutRuntime, "tokenIndexes">, type: TypeName, doc: Doc): Work<string[]> {
  const tokens: string[] = [];
  for (const index of schema.tokenIndexes) for (const token of (yield* entriesOf(index, type, doc)).keys()) tokens.push(storedToken(index, token));
  return tokens;
}

export function storedToken(index: { readonly id: number }, token: Token): string {
  return `${index.id}:${token}`;
}

/** Sets the derived fields of a document. */
export function derive(schema: Pick<LayoutRuntime, "derived" | "fields" | "layout">, type: TypeName, doc: Doc): void {
  for (const field of schema.derived) {
    const { derived } = field.layout;
    if (derived === undefined || !field.holders.has(type)) continue;
    const value = derived.derive(derived.from.map((name) => schema.fields.get(name)?.read(type, doc)));
    const property = field.property(type);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) delete doc[property];
    else putStored(doc, property, encodeStored(field.kind, value));
  }
}

/** Keeps the old object for an equal value, so that a change can be detected by identity. */
export function putStored(doc: Doc, property: string, encoded: unknown): void {
  if (!sameStored(decodeStored(doc[property]), decodeStored(encoded))) doc[property] = encoded;
}
