// The next catalog of a deploy, and what must be built for it.

import type { Layout } from "../../../core/storage.ts";
import { carriedLinks, type DeployPlan, type EdgeBuild, type EdgeSource, type LinkStore, planDeploy } from "../../storage-kit/index.ts";
import type { Catalog, KeyPlacement, Left, LinkPlacement } from "../layout/catalog.ts";
import { type LayoutRuntime, linkPropertyOf } from "../layout/layout-runtime.ts";
import { keyCollection } from "../layout/names.ts";
import { chooseKeyPlacement, chooseLinkPlacement, fits, type StoredEdge, sideOfEnd, storedEdges } from "../layout/placement.ts";

export type MongoPlan = DeployPlan<Catalog>;

export function planMongo(layout: Layout, catalog: Catalog): MongoPlan {
  const plan = planDeploy(layout, catalog);
  let next = plan.next;
  const builds = [...plan.edges];
  const places: Record<number, LinkPlacement> = {};
  for (const [id, placement] of Object.entries(catalog.places)) if (next.links[Number(id)] !== undefined) places[Number(id)] = placement;
  for (const stored of storedEdges(layout, next)) {
    const placement = places[stored.id];
    if (placement === undefined) places[stored.id] = chooseLinkPlacement(stored, { ...catalog, places: { ...catalog.places, ...places } });
    else if (!fits(stored, placement)) {
      const moved = moveLinks(stored, next, catalog);
      next = moved.next;
      builds.push(moved.build);
      places[moved.stored.id] = chooseLinkPlacement(moved.stored, { ...catalog, places: { ...catalog.places, ...places } });
      delete places[stored.id];
    }
  }
  const keyPlaces: Record<number, KeyPlacement> = {};
  const freshKeys = new Set(plan.keys);
  const placed = { ...next, places };
  for (const key of layout.keys) {
    const known = next.keys[key.name];
    if (known === undefined) continue;
    const wanted = chooseKeyPlacement(layout, key, placed);
    const before = catalog.keyPlaces[known.id];
    if (before === undefined || before === wanted || !key.ends) keyPlaces[known.id] = before ?? wanted;
    else {
      // The links of the key have moved: it is built again where they are.
      const id = next.nextId;
      next = { ...next, nextId: id + 1, keys: { ...next.keys, [key.name]: { ...known, id } } };
      freshKeys.add(id);
      keyPlaces[id] = wanted;
    }
  }
  const onceSingle = layout.fields.filter((field) => field.list && catalog.fields[field.name]?.list === false).map((field) => field.name);
  const left = leftOf(catalog, { ...next, places });
  next = {
    ...next,
    places,
    keyPlaces,
    onceSingle: [...new Set([...catalog.onceSingle, ...onceSingle])],
    left: [...catalog.left, ...left],
    garbage: [],
  };
  return { ...plan, next, keys: freshKeys, edges: builds };
}

/** Sentences about keys whose links are documents of their own: no unique index can cover them. */
export function keysOverPairs({ next, layout }: MongoPlan): string[] {
  return layout.keys.flatMap((key) => {
    if (next.keyPlaces[next.keys[key.name]?.id ?? 0] === "implied") return [];
    const apart = key.ends?.find((end) => sideOfEnd(end, layout, next) === "pairs");
    if (apart === undefined) return [];
    const names = [...key.fields, ...(key.ends ?? [])].join(" and ");
    return [
      `${names} cannot be unique together on MongoDB: ${apart} shares its links with another field, or earlier schemas let it lead to other types, ` +
        "so its links are kept apart from the documents. Give the link a new name, and copy the links to it",
    ];
  });
}

/** Links of an edge whose side may now lead to several nodes, or to new types, move to a store of another shape. */
function moveLinks(
  stored: StoredEdge,
  next: Catalog,
  before: Catalog,
): { readonly next: Catalog; readonly build: EdgeBuild; readonly stored: StoredEdge } {
  const id = next.nextId;
  const { edge } = stored;
  const sources: EdgeSource[] = [];
  const ends = { ...next.ends };
  for (const [s, side] of edge.sides.entries()) {
    for (const { name } of side.ends) {
      const old = before.ends[name];
      const now = ends[name];
      const own = s === 0 ? 0 : 1;
      if (old !== undefined) sources.push({ name, side: own, end: old, carried: carriedLinks(before, old) });
      if (now !== undefined) ends[name] = { ...now, links: id, side: own };
    }
  }
  const { [stored.id]: _, ...links } = next.links;
  const types = stored.flipped ? ([stored.store.types[1], stored.store.types[0]] as const) : stored.store.types;
  const moved = { symmetric: stored.store.symmetric, types };
  return {
    next: { ...next, nextId: id + 1, ends, links: { ...links, [id]: moved } },
    build: { edge, id, sources },
    stored: { edge, id, store: moved, flipped: false },
  };
}

/** What a deploy writes while it builds. Derived values are not listed: their property names the derivation. */
export function builtBy(plan: MongoPlan, schema: LayoutRuntime, before: Catalog): Left[] {
  const built: Left[] = [];
  const fresh = schema.tokenIndexes.filter((index) => plan.indexes.has(index.id));
  if (fresh.length > 0)
    built.push({ kind: "tokens", types: [...new Set(fresh.flatMap((index) => index.field.types))], ids: fresh.map((index) => index.id) });
  for (const key of schema.keys) if (plan.keys.has(key.id) && !key.native) built.push({ kind: "collection", name: keyCollection(key.id) });
  for (const { id, backs } of schema.stores.values())
    if (backs !== undefined && before.places[id] === undefined) built.push({ kind: "collection", name: backs.collection });
  for (const [id, placement] of Object.entries(plan.next.places))
    if (before.places[Number(id)] === undefined) built.push(...storeAt(placement, plan.next.links[Number(id)]));
  return built;
}

function storeAt(placement: LinkPlacement, store: LinkStore | undefined): Left[] {
  if (store === undefined) return [];
  if (placement.shape === "pairs") return [{ kind: "collection", name: placement.collection }];
  const types = store.symmetric ? store.types[0] : store.types[placement.side];
  return [{ kind: "field", types, property: types.map((type) => linkPropertyOf({ placement }, type)) }];
}

/** What becomes unused under the next catalog. */
function leftOf(before: Catalog, next: Catalog): Left[] {
  const left: Left[] = [];
  for (const [id, placement] of Object.entries(before.places)) {
    if (next.links[Number(id)] !== undefined) continue;
    left.push(...storeAt(placement, before.links[Number(id)]));
    if (before.sharded && placement.shape === "field") left.push({ kind: "collection", name: keyCollection(Number(id)) });
  }
  const kept = new Set(Object.values(next.keys).map((key) => key.id));
  for (const { id } of Object.values(before.keys))
    if (!kept.has(id) && before.keyPlaces[id] === "collection") left.push({ kind: "collection", name: keyCollection(id) });
  return left;
}
