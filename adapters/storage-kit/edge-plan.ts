// Where the links of a layout's edges are stored: which stores stay, and which edges take over the links of earlier ends.

import type { EdgeLayout, End, EndName, Layout, TypeName } from "../../core/storage.ts";
import type { CatalogEnd, LayoutHistory, LinkStore } from "./layout-history.ts";

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

export interface EdgePlan {
  readonly ends: Record<string, CatalogEnd>;
  readonly stores: Record<number, LinkStore>;
  readonly builds: EdgeBuild[];
  readonly left: number[];
}

/** Compares the edges of a layout with the catalog. @param newId gives the id of a new link store */
export function planEdges(layout: Layout, catalog: LayoutHistory, newId: () => number): EdgePlan {
  const ends: Record<string, CatalogEnd> = {};
  for (const [name, end] of Object.entries(catalog.ends)) ends[name] = { ...end, shown: false };
  const stores: Record<number, LinkStore> = { ...catalog.links };
  const builds: EdgeBuild[] = [];
  const sharers = endsOfStores(catalog);
  for (const edge of layout.edges) {
    const sources = sourcesOf(edge, catalog);
    const kept = keptStore(edge, sources, { catalog, sharers });
    const id = kept?.id ?? newId();
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

/** The ends of an edge that have names, with their sides. */
export function namedEnds(edge: EdgeLayout): { readonly name: string; readonly side: 0 | 1; readonly end: End }[] {
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
  // Looked for when somebody asks: most edges keep their store.
  let others: readonly CatalogEnd[] | undefined;
  const shows = (each: CatalogEnd, type: TypeName, partner: TypeName) => {
    const here = each.side === end.side && each.types.includes(type) && each.partners.includes(partner);
    return here || ((each.side !== end.side || store?.symmetric === true) && each.types.includes(partner) && each.partners.includes(type));
  };
  return {
    types: store?.types[end.side] ?? [],
    partners: store?.types[store.symmetric || end.side === 1 ? 0 : 1] ?? [],
    has(type, partner) {
      if (shows(end, type, partner)) return true;
      others ??= Object.values(catalog.ends).filter((other) => other !== end && other.links === end.links);
      return !others.some((other) => shows(other, type, partner));
    },
  };
}

/** How many ends each link store has. */
function endsOfStores({ ends }: LayoutHistory): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { links } of Object.values(ends)) counts.set(links, (counts.get(links) ?? 0) + 1);
  return counts;
}

/** A store is kept when every end that ever showed its links belongs to this edge, on the same side, and no other end joins. */
function keptStore(
  edge: EdgeLayout,
  sources: readonly EdgeSource[],
  { catalog, sharers }: { readonly catalog: LayoutHistory; readonly sharers: ReadonlyMap<number, number> },
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
  return agree && sharers.get(id) === sources.length ? { id, flipped } : undefined;
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
