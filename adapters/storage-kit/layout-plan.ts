// Compares a layout with the catalog: the next catalog, what must be built for it, which conditions the data must meet.

import type { EdgeLayout, End, EndName, FieldLayout, FieldName, IndexName, KeyName, Layout, TypeName, ValueKind } from "../../core/storage.ts";

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

/** Equal for two layouts when an index that was built for one serves the other. */
export function indexSignature(layout: Layout, index: Layout["indexes"][number]): string {
  const field = layout.fields.find((each) => each.name === index.field);
  const by = buildOf(index);
  return JSON.stringify([...by, index.field, field?.kind, field?.list, field?.derived?.id ?? null]);
}

/** What an index is built by. The breadth of a search is no part of it. */
function buildOf(index: Layout["indexes"][number]): readonly unknown[] {
  if (index.by === "value") return ["value", index.ordered];
  if (index.by === "tokens") return ["tokens", index.id];
  return ["nearest", index.metric, index.buildBreadth ?? null, index.quantize ?? null];
}

/** Equal for two layouts when a key that was built for one serves the other. */
export function keySignature(layout: Layout, key: Layout["keys"][number]): string {
  const fields = key.fields.map((name) => {
    const field = layout.fields.find((each) => each.name === name);
    return [name, field?.kind, field?.list, field?.derived?.id ?? null];
  });
  const ends = endsOfKey(layout, key).map(({ name, many, partners }) => [name, many, [...partners].sort()]);
  return JSON.stringify([fields, [...key.types].sort(), ...(ends.length > 0 ? [ends] : [])]);
}

/** The ends of a key, in its order. */
export function endsOfKey(layout: Layout, { ends = [] }: Layout["keys"][number]): readonly End[] {
  if (ends.length === 0) return [];
  const known = new Map(layout.edges.flatMap(({ sides }) => sides.flatMap((side) => side.ends.map((end) => [end.name, end] as const))));
  return ends.flatMap((name) => known.get(name) ?? []);
}

/** What a deploy has to do. */
export interface DeployPlan<Catalog extends LayoutHistory> {
  /** The next catalog; version and document are set at the switch. */
  readonly next: Catalog;
  readonly layout: Layout;
  /** Ids of indexes to build. */
  readonly indexes: ReadonlySet<number>;
  /** Ids of keys to build. */
  readonly keys: ReadonlySet<number>;
  /** Derived fields with a new derivation. */
  readonly derived: readonly FieldLayout[];
  readonly edges: readonly EdgeBuild[];
  readonly conditions: readonly Condition[];
}

/** An edge whose links are copied from the link stores of earlier ends. */
export interface EdgeBuild {
  readonly edge: EdgeLayout;
  /** The id of the new link store, whose sides are the edge's sides. */
  readonly id: number;
  readonly sources: readonly EdgeSource[];
}

/** An earlier end whose links an edge takes over. */
export interface EdgeSource {
  readonly name: string;
  /** The side of the new edge that has the end. */
  readonly side: 0 | 1;
  readonly end: CatalogEnd;
  readonly carried: CarriedLinks;
}

/** The links that an end takes along to another edge, or that are erased with it: by the type of the node that has the end and of its partner. */
export interface CarriedLinks {
  readonly types: readonly TypeName[];
  readonly partners: readonly TypeName[];
  has(type: TypeName, partner: TypeName): boolean;
}

/** The deploy is refused with `message` while `name` has data. */
export interface Condition {
  readonly kind: "field" | "end";
  readonly name: string;
  readonly message: string;
}

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

/** Compares `layout` with `catalog`. Pure: reads and changes no data. */
export function planDeploy<Catalog extends LayoutHistory>(layout: Layout, catalog: Catalog): DeployPlan<Catalog> {
  const ids = new Ids(catalog.nextId);
  const indexes = structuresFor(layout.indexes, { known: catalog.indexes, signatureOf: (index) => indexSignature(layout, index), ids });
  const plannedKeys = structuresFor(layout.keys, { known: catalog.keys, signatureOf: (key) => keySignature(layout, key), ids });
  const links = planEdges(layout, catalog, ids);
  const keys = builtAgain(plannedKeys, { layout, builds: links.builds, ids });
  const types = typeIds(layout, catalog);
  const kept = new Set([...Object.values(indexes.all), ...Object.values(keys.all)].map((each) => each.id));
  const left = [...Object.values(catalog.indexes), ...Object.values(catalog.keys)].map((each) => each.id).filter((id) => !kept.has(id));
  const next: Catalog = {
    ...catalog,
    layout: describeLayout(layout),
    nextId: ids.next,
    types,
    fields: { ...catalog.fields, ...Object.fromEntries(layout.fields.map((field) => [field.name, fieldFacts(layout, field, catalog)])) },
    indexes: indexes.all,
    keys: keys.all,
    ends: links.ends,
    links: links.stores,
    garbage: [...catalog.garbage, ...left, ...links.left],
  };
  return {
    next,
    layout,
    indexes: indexes.fresh,
    keys: keys.fresh,
    derived: layout.fields.filter((field) => field.derived !== undefined && catalog.fields[field.name]?.derivation !== field.derived.id),
    edges: links.builds,
    conditions: [...fieldConditions(layout, catalog), ...endConditions(layout, catalog)],
  };
}

class Ids {
  next: number;

  constructor(next: number) {
    this.next = next;
  }

  take(): number {
    return this.next++;
  }
}

function typeIds(layout: Layout, catalog: LayoutHistory): Record<TypeName, number> {
  const ids = new Map(Object.entries(catalog.types));
  for (const { name } of layout.types) if (!ids.has(name)) ids.set(name, ids.size + 1);
  return Object.fromEntries(ids);
}

function fieldFacts(layout: Layout, field: FieldLayout, catalog: LayoutHistory): CatalogField {
  const before = catalog.fields[field.name];
  const holders = layout.types.filter((type) => type.fields.includes(field.name)).map((type) => type.name);
  return {
    kind: field.kind,
    list: field.list,
    types: [...new Set([...(before?.types ?? []), ...holders])],
    converted: before !== undefined && (before.converted || before.kind !== field.kind),
    derivation: field.derived?.id,
  };
}

interface Structures<T> {
  readonly known: Readonly<Record<string, BuiltStructure>>;
  readonly signatureOf: (item: T) => string;
  readonly ids: Ids;
}

function structuresFor<T extends { readonly name: string }>(items: readonly T[], { known, signatureOf, ids }: Structures<T>) {
  const all: Record<string, BuiltStructure> = {};
  const fresh = new Set<number>();
  for (const item of items) {
    const signature = signatureOf(item);
    const before = known[item.name];
    if (before?.signature === signature) {
      all[item.name] = before;
      continue;
    }
    const id = ids.take();
    all[item.name] = { id, signature };
    fresh.add(id);
  }
  return { all, fresh };
}

/** Other links belong to an edge that is built: the keys over its ends are built as well. */
function builtAgain(
  { all, fresh }: ReturnType<typeof structuresFor>,
  { layout, builds, ids }: { readonly layout: Layout; readonly builds: readonly EdgeBuild[]; readonly ids: Ids },
) {
  const joined = new Set(builds.flatMap(({ edge }) => edge.sides.flatMap((side) => side.ends.map((end) => end.name))));
  for (const { name, ends = [] } of layout.keys) {
    const known = all[name];
    if (known === undefined || fresh.has(known.id) || !ends.some((end) => joined.has(end))) continue;
    const id = ids.take();
    all[name] = { ...known, id };
    fresh.add(id);
  }
  return { all, fresh };
}

// --- edges

interface EdgePlan {
  readonly ends: Record<string, CatalogEnd>;
  readonly stores: Record<number, LinkStore>;
  readonly builds: EdgeBuild[];
  readonly left: number[];
}

function planEdges(layout: Layout, catalog: LayoutHistory, ids: Ids): EdgePlan {
  const ends: Record<string, CatalogEnd> = {};
  for (const [name, end] of Object.entries(catalog.ends)) ends[name] = { ...end, shown: false };
  const stores: Record<number, LinkStore> = { ...catalog.links };
  const builds: EdgeBuild[] = [];
  for (const edge of layout.edges) {
    const sources = sourcesOf(edge, catalog);
    const kept = keptStore(edge, sources, catalog);
    const id = kept?.id ?? ids.take();
    const flipped = kept?.flipped ?? false;
    stores[id] = {
      symmetric: edge.sides.length === 1,
      types: sideTypes(edge, { flipped, before: kept === undefined ? typesOfSources(sources) : stores[id]?.types }),
    };
    for (const { name, side, end } of namedEnds(edge)) {
      ends[name] = { links: id, side: flipped ? otherSide(side) : side, types: end.types, partners: end.partners, many: end.many, shown: true };
    }
    if (kept === undefined && sources.length > 0) builds.push({ edge, id, sources });
  }
  const used = new Set(Object.values(ends).map((end) => end.links));
  const left = Object.keys(stores)
    .map(Number)
    .filter((id) => !used.has(id));
  for (const id of left) delete stores[id];
  return { ends, stores, builds, left };
}

/** The opposite side of an edge or link store. */
export function otherSide(side: 0 | 1): 0 | 1 {
  return side === 0 ? 1 : 0;
}

/** The link store that holds the links of an edge; `flipped` when the edge's first side is the store's second. Undefined for an edge without links. */
export function storeOfEdge(
  edge: EdgeLayout,
  ends: Readonly<Record<EndName, CatalogEnd>>,
): { readonly id: number; readonly flipped: boolean } | undefined {
  for (const [s, side] of edge.sides.entries()) {
    for (const end of side.ends) {
      const known = ends[end.name];
      if (known !== undefined) return { id: known.links, flipped: edge.sides.length === 2 && known.side !== s };
    }
  }
  return undefined;
}

function namedEnds(edge: EdgeLayout): { readonly name: string; readonly side: 0 | 1; readonly end: End }[] {
  return edge.sides.flatMap((side, s) =>
    side.ends.filter((end) => !end.name.startsWith("~")).map((end) => ({ name: end.name, side: s === 0 ? (0 as const) : (1 as const), end })),
  );
}

function sourcesOf(edge: EdgeLayout, catalog: LayoutHistory): EdgeSource[] {
  return namedEnds(edge).flatMap(({ name, side }) => {
    const end = catalog.ends[name];
    return end === undefined ? [] : [{ name, side, end, carried: carriedLinks(catalog, end) }];
  });
}

/**
 * The links of the end's store, except those that only another end of either side shows. Links that an earlier layout showed and the last one
 * hid from both sides still belong to the end.
 */
export function carriedLinks(catalog: LayoutHistory, end: CatalogEnd): CarriedLinks {
  const store = catalog.links[end.links];
  const others = Object.values(catalog.ends).filter((other) => other !== end && other.links === end.links);
  const shows = (each: CatalogEnd, type: TypeName, partner: TypeName) => {
    const here = each.side === end.side && each.types.includes(type) && each.partners.includes(partner);
    return here || ((each.side !== end.side || store?.symmetric === true) && each.types.includes(partner) && each.partners.includes(type));
  };
  return {
    types: store?.types[end.side] ?? [],
    partners: store?.types[store.symmetric || end.side === 1 ? 0 : 1] ?? [],
    has: (type, partner) => shows(end, type, partner) || !others.some((other) => shows(other, type, partner)),
  };
}

/** A store is kept when every end that ever showed its links belongs to this edge, on the same side, and no other end joins. */
function keptStore(
  edge: EdgeLayout,
  sources: readonly EdgeSource[],
  catalog: LayoutHistory,
): { readonly id: number; readonly flipped: boolean } | undefined {
  const [first] = sources;
  if (first === undefined) return undefined;
  const id = first.end.links;
  const symmetric = edge.sides.length === 1;
  // The build reports nodes with several links.
  if (namedEnds(edge).some(({ name, end }) => !end.many && mayFindSeveral(catalog, catalog.ends[name], end))) return undefined;
  if (catalog.links[id]?.symmetric !== symmetric) return undefined;
  const flipped = !symmetric && first.end.side !== first.side;
  const agree = sources.every((each) => each.end.links === id && (symmetric || (each.end.side !== each.side) === flipped));
  const sharers = Object.values(catalog.ends).filter((end) => end.links === id).length;
  return agree && sharers === sources.length ? { id, flipped } : undefined;
}

/** Whether a single end may find several links: it is new, was a list, or now shows types that were hidden from it. */
function mayFindSeveral(catalog: LayoutHistory, before: CatalogEnd | undefined, end: End): boolean {
  if (before?.many !== false) return true;
  const store = catalog.links[before.links];
  const [own = [], other = []] = store === undefined ? [] : before.side === 0 ? store.types : [store.types[1], store.types[0]];
  const types = end.types.filter((type) => own.includes(type));
  const partners = end.partners.filter((type) => other.includes(type));
  const isSeenAnew = types.some((type) => !before.types.includes(type)) || partners.some((type) => !before.partners.includes(type));
  return isSeenAnew && types.length > 0 && partners.length > 0;
}

/** Links are taken over whatever the types of their nodes, hidden types included. */
function typesOfSources(sources: readonly EdgeSource[]): LinkStore["types"] {
  const typesOn = (side: 0 | 1) => sources.flatMap((source) => (source.side === side ? source.carried.types : source.carried.partners));
  return [typesOn(0), typesOn(1)];
}

/** The types of the nodes on both sides: those of the edge, and those of existing links. */
function sideTypes(
  edge: EdgeLayout,
  { flipped, before }: { readonly flipped: boolean; readonly before: LinkStore["types"] | undefined },
): LinkStore["types"] {
  const [first, second] = edge.sides;
  const own = first.ends.flatMap((end) => end.types).concat(second?.ends.flatMap((end) => end.partners) ?? []);
  const other = (second ?? first).ends.flatMap((end) => end.types).concat(first.ends.flatMap((end) => end.partners));
  const [a, b] =
    second === undefined
      ? [
          [...own, ...other],
          [...own, ...other],
        ]
      : flipped
        ? [other, own]
        : [own, other];
  const [here = [], there = []] = before ?? [];
  // On an edge with one side both sides are the same nodes.
  const [keptHere, keptThere] =
    second === undefined
      ? [
          [...here, ...there],
          [...here, ...there],
        ]
      : [here, there];
  return [[...new Set([...keptHere, ...a])], [...new Set([...keptThere, ...b])]];
}

// --- conditions on the data

/** The names of kinds in refusals: Dgraph's. */
const kindNames = {
  string: "string",
  int: "int",
  int64: "int",
  float: "float",
  boolean: "bool",
  dateTime: "datetime",
  geo: "geo",
  password: "password",
  vector: "float32vector",
} as const;

function* fieldConditions(layout: Layout, catalog: LayoutHistory): Generator<Condition> {
  for (const field of layout.fields) {
    const { name } = field;
    const before = catalog.fields[name];
    if (catalog.ends[name] !== undefined) yield { kind: "end", name, message: scalarOrUid(name) };
    if (before === undefined || before.derivation !== undefined || field.derived !== undefined) continue;
    const old = kindNames[before.kind];
    const now = kindNames[field.kind];
    if (before.list && !field.list)
      yield { kind: "field", name, message: `Schema change not allowed from [${old}] => ${now} without deleting pred: ${name}` };
    else if (isOnItsOwn(before.kind) !== isOnItsOwn(field.kind))
      yield { kind: "field", name, message: `Schema change not allowed from ${old} to ${now} without deleting pred: ${name}` };
  }
}

/** Values of these kinds are never converted from or to another kind. */
function isOnItsOwn(kind: ValueKind): ValueKind | undefined {
  return kind === "password" || kind === "vector" ? kind : undefined;
}

function* endConditions(layout: Layout, catalog: LayoutHistory): Generator<Condition> {
  for (const { name, end } of layout.edges.flatMap(namedEnds)) {
    const before = catalog.ends[name];
    if (catalog.fields[name] !== undefined) yield { kind: "field", name, message: scalarOrUid(name) };
    if (before?.many && !end.many) yield { kind: "end", name, message: `Schema change not allowed from [uid] => uid without deleting pred: ${name}` };
  }
}

function scalarOrUid(name: string): string {
  return `Schema change not allowed from scalar to uid or vice versa while there is data for pred: ${name}`;
}
