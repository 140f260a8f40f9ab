// Decides where links and keys are stored: a to-one end as a field of its documents, a key of one collection as a unique index, others in collections
// of their own.

import type { EdgeLayout, EndName, KeyLayout, Layout, TypeName } from "../../../core/storage.ts";
import { type LayoutHistory, type LinkStore, otherSide, storeOfEdge } from "../../storage-kit/index.ts";
import type { Catalog, KeyPlacement, LinkPlacement } from "./catalog.ts";
import { pairsCollection, propertyOf } from "./names.ts";

/** An edge with the store that holds its links. */
export interface StoredEdge {
  readonly edge: EdgeLayout;
  readonly id: number;
  readonly store: LinkStore;
  /** The edge's first side is the store's second. */
  readonly flipped: boolean;
}

export function storedEdges(layout: Layout, history: LayoutHistory): StoredEdge[] {
  return layout.edges.flatMap((edge) => {
    const placement = storeOfEdge(edge, history.ends);
    const store = placement && history.links[placement.id];
    return placement === undefined || store === undefined ? [] : [{ edge, ...placement, store }];
  });
}

/** Where to store the links of a new store. */
export function chooseLinkPlacement(stored: StoredEdge, catalog: Catalog): LinkPlacement {
  for (const side of [0, 1] as const) {
    if (!isSingleSide(stored, side)) continue;
    const field = endsOf(stored, side)[0]?.name ?? stored.edge.name;
    const taken = isTaken(field, stored.store.types[side], catalog);
    return { shape: "field", side, field, ...(taken && { number: stored.id }) };
  }
  const first = stored.edge.sides.flatMap((side) => side.ends).find((end) => !end.name.startsWith("~"));
  return { shape: "pairs", collection: pairsCollection(first?.name ?? stored.edge.name, stored.id) };
}

/** Whether an earlier store used, and may still have data in, this field. */
function isTaken(field: string, types: readonly TypeName[], catalog: Catalog): boolean {
  if (Object.values(catalog.places).some((placement) => placement.shape === "field" && placement.field === field)) return true;
  return catalog.left.some((left) => left.kind === "field" && types.some((type) => left.property.includes(propertyOf(type, field))));
}

/** Whether the placement fits all links that the edge may get. */
export function fits(stored: StoredEdge, placement: LinkPlacement): boolean {
  return placement.shape === "pairs" || isSingleSide(stored, placement.side);
}

function endsOf({ edge, flipped }: StoredEdge, side: 0 | 1) {
  return edge.sides[edge.sides.length === 1 ? 0 : flipped ? 1 - side : side]?.ends ?? [];
}

/** Whether each node on this side of the store has one partner at most, hidden ones included. */
function isSingleSide(stored: StoredEdge, side: 0 | 1): boolean {
  const ends = endsOf(stored, side);
  const others = stored.store.types[otherSide(side)];
  return stored.store.types[side].every((type) => {
    const own = ends.filter((end) => end.types.includes(type));
    const [end] = own;
    return own.length === 1 && end !== undefined && !end.many && others.every((other) => end.partners.includes(other));
  });
}

/** Whether the collection of `type` can have a unique index on the link: each partner leads back to one node of it at most. */
export function uniqueNear(stored: StoredEdge, placement: LinkPlacement, type: TypeName): boolean {
  if (placement.shape !== "field" || stored.store.symmetric) return placement.shape === "field" && stored.store.symmetric;
  const far = otherSide(placement.side);
  const ends = endsOf(stored, far);
  return stored.store.types[far].every((other) => ends.some((end) => !end.many && end.types.includes(other) && end.partners.includes(type)));
}

/**
 * Whether the links of an end are fields of the documents that have it (`near`), fields of the documents that it leads to (`far`), or documents of
 * their own.
 */
export function sideOfEnd(name: EndName, layout: Layout, catalog: Catalog): "near" | "far" | "pairs" {
  const end = catalog.ends[name];
  const edge = layout.edges.find(({ sides }) => sides.some((side) => side.ends.some((each) => each.name === name)));
  const place = end === undefined ? undefined : catalog.places[end.links];
  if (end === undefined || place?.shape !== "field") return "pairs";
  return edge?.sides.length === 1 || place.side === end.side ? "near" : "far";
}

/** A unique index serves a key of one type over single values whose stored form compares as the value does, and over links beside them. */
export function chooseKeyPlacement(layout: Layout, key: KeyLayout, catalog: Catalog): KeyPlacement {
  if (key.ends?.some((end) => sideOfEnd(end, layout, catalog) === "far")) return "implied";
  if (catalog.sharded) return "collection";
  const plain = key.fields.every((name) => {
    const field = layout.fields.find((each) => each.name === name);
    return (
      field !== undefined && !field.list && field.kind !== "geo" && catalog.fields[name]?.converted !== true && catalog.fields[name]?.list !== true
    );
  });
  return key.types.length === 1 && plain ? "native" : "collection";
}
