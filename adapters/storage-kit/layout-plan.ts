// Compares a layout with the catalog: the next catalog, what must be built for it, which conditions the data must meet.

import type { FieldLayout, Layout, TypeName } from "../../core/storage.ts";
import { type Condition, deployConditions } from "./deploy-conditions.ts";
import { type EdgeBuild, planEdges } from "./edge-plan.ts";
import { type BuiltStructure, type CatalogField, describeLayout, type LayoutHistory } from "./layout-history.ts";
import { LayoutNames } from "./layout-names.ts";
import { indexSignature, keySignature } from "./structure-signatures.ts";

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

/** Compares `layout` with `catalog`. Pure: reads and changes no data. */
export function planDeploy<Catalog extends LayoutHistory>(layout: Layout, catalog: Catalog): DeployPlan<Catalog> {
  const ids = new Ids(catalog.nextId);
  const names = new LayoutNames(layout);
  const indexes = structuresFor(layout.indexes, { known: catalog.indexes, signatureOf: (index) => indexSignature(names, index), ids });
  const plannedKeys = structuresFor(layout.keys, { known: catalog.keys, signatureOf: (key) => keySignature(names, key), ids });
  const links = planEdges(layout, catalog, () => ids.take());
  const keys = builtAgain(plannedKeys, { layout, builds: links.builds, ids });
  const types = typeIds(layout, catalog);
  const kept = new Set([...Object.values(indexes.all), ...Object.values(keys.all)].map((each) => each.id));
  const left = [...Object.values(catalog.indexes), ...Object.values(catalog.keys)].map((each) => each.id).filter((id) => !kept.has(id));
  const next: Catalog = {
    ...catalog,
    layout: describeLayout(layout),
    nextId: ids.next,
    types,
    fields: { ...catalog.fields, ...Object.fromEntries(layout.fields.map((field) => [field.name, fieldFacts(names, field, catalog)])) },
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
    conditions: deployConditions(layout, catalog),
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

function fieldFacts(names: LayoutNames, field: FieldLayout, catalog: LayoutHistory): CatalogField {
  const before = catalog.fields[field.name];
  return {
    kind: field.kind,
    list: field.list,
    types: [...new Set([...(before?.types ?? []), ...names.holders(field.name)])],
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
