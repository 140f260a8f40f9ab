// The structures to update when a record or a link changes: those of the deployed layout and, during a migration, those of the next one.

import type { FieldLayout, Uid } from "../../../core/storage.ts";
import { derivedMark, propertyOf } from "../layout/catalog.ts";
import type { FieldRuntime, IndexRuntime, KeyRuntime, LayoutRuntime, LinkStoreRuntime, NearestRuntime } from "../layout/layout-runtime.ts";
import type { NodeRecord, OpenRecord } from "../structures/records.ts";

export interface Maintenance {
  readonly schema: LayoutRuntime;
  readonly typeIds: ReadonlyMap<string, number>;
  readonly typeNames: ReadonlyMap<number, string>;
  readonly indexes: readonly IndexRuntime[];
  readonly indexesByProperty: ReadonlyMap<string, readonly IndexRuntime[]>;
  readonly nearestByProperty: ReadonlyMap<string, readonly NearestRuntime[]>;
  /** Keys of values alone. */
  readonly keys: readonly MaintainedKey[];
  /** Keys with ends. */
  readonly linkedKeys: readonly MaintainedKey[];
  readonly keysByProperty: ReadonlyMap<string, readonly MaintainedKey[]>;
  readonly derivations: readonly MaintainedDerivation[];
  readonly linkStores: readonly LinkStoreRuntime[];
  readonly observer: BuildObserver | undefined;
}

export interface MaintainedKey {
  readonly key: KeyRuntime;
  /** False while the key is being built: the deployed layout allows duplicates. */
  readonly enforced: boolean;
}

export interface MaintainedDerivation {
  readonly property: string;
  readonly from: readonly FieldRuntime[];
  readonly types: ReadonlySet<string>;
  readonly derive: NonNullable<FieldLayout["derived"]>["derive"];
}

/** The events that a running migration, or one that was interrupted, needs. */
export interface BuildObserver {
  /** Several nodes now hold one text of a key that is being built. */
  duplicate(key: KeyRuntime, text: string): void;
  /** A node that was there before changed or was removed. */
  changed(uid: Uid, before: NodeRecord): void;
  created(uid: Uid): void;
  /** A pair was added to or removed from a link store. Absent: it builds nothing of links. */
  linked?(store: LinkStoreRuntime, first: number, second: number): void;
}

/** What writers do for a build: maintain the structures of `schema`, and notify `observer`. */
export interface Building {
  /** Undefined when the build was interrupted. */
  readonly schema: LayoutRuntime | undefined;
  readonly observer: BuildObserver;
}

export function maintenanceOf(active: LayoutRuntime, building?: Building): Maintenance {
  const schemas = building?.schema === undefined ? [active] : [active, building.schema];
  const indexes = distinct(schemas.flatMap((schema) => [...schema.indexes.values()]));
  const enforced = new Set(active.keys.map((key) => key.id));
  const allKeys = distinct(schemas.flatMap((schema) => schema.keys)).map((key) => ({ key, enforced: enforced.has(key.id) }));
  const keys = allKeys.filter(({ key }) => key.ends.length === 0);
  return {
    schema: active,
    typeIds: new Map(schemas.flatMap((schema) => [...schema.typeIds])),
    typeNames: new Map(schemas.flatMap((schema) => [...schema.typeNames])),
    indexes,
    indexesByProperty: groupBy(indexes, propertiesOf),
    nearestByProperty: groupBy(distinct(schemas.flatMap((schema) => schema.nearest)), (index) => [index.field.property]),
    keys,
    linkedKeys: allKeys.filter(({ key }) => key.ends.length > 0),
    keysByProperty: groupBy(keys, (each) => each.key.fields.map((field) => field.property)),
    derivations: derivationsOf(schemas),
    linkStores: distinct(schemas.flatMap((schema) => schema.linkStores)),
    observer: building?.observer,
  };
}

/** A change of any of them may change the entries of the index. */
function propertiesOf(index: IndexRuntime): readonly string[] {
  return [index.field, ...(index.by === "compound" ? index.within : [])].map(({ property }) => property);
}

function distinct<T extends { readonly id: number }>(structures: readonly T[]): T[] {
  return [...new Map(structures.map((each) => [each.id, each])).values()];
}

function groupBy<T>(items: readonly T[], namesOf: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const name of namesOf(item)) {
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [item]);
      else group.push(item);
    }
  }
  return groups;
}

function derivationsOf(schemas: readonly LayoutRuntime[]): MaintainedDerivation[] {
  const found = new Map<string, MaintainedDerivation>();
  for (const schema of schemas) {
    for (const field of schema.layout.fields) {
      if (field.derived === undefined) continue;
      found.set(propertyOf(field), {
        property: propertyOf(field),
        from: field.derived.from.flatMap((name) => schema.fields.get(name) ?? []),
        types: new Set(schema.layout.types.filter((type) => type.fields.includes(field.name)).map((type) => type.name)),
        derive: field.derived.derive,
      });
    }
  }
  return [...found.values()];
}

/** Sets derived fields and removes values of unknown derivations. */
export function derive(maintenance: Maintenance, type: string, record: OpenRecord): void {
  for (const property in record) {
    if (property.startsWith(derivedMark) && !maintenance.derivations.some((each) => each.property === property)) delete record[property];
  }
  for (const each of maintenance.derivations) {
    if (!each.types.has(type)) continue;
    const value = each.derive(each.from.map((field) => field.read(record)));
    if (value === undefined || (Array.isArray(value) && value.length === 0)) delete record[each.property];
    else record[each.property] = value;
  }
}
