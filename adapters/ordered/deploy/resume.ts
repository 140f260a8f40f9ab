// Whether a migration goes on with the build of an interrupted one: when it builds the same indexes, keys and derived fields.

import type { FieldName, Layout } from "../../../core/storage.ts";
import type { DeployPlan } from "../../storage-kit/index.ts";
import { BuildProgress } from "../build/build-progress.ts";
import { notesFormat } from "../build/progress-notes.ts";
import { areWholeRuns } from "../build/sorted-indexes.ts";
import type { Database } from "../database/database.ts";
import type { BegunBuild, Catalog } from "../layout/catalog.ts";

/** What the migration would note of its build; undefined when it builds none that goes on. Takes no id of the plan. */
export function begunBuild(plan: DeployPlan<Catalog>, log: number): BegunBuild | undefined {
  const indexes = idsOf(plan.next.indexes, (_, id) => plan.indexes.has(id));
  const keys = idsOf(plan.next.keys, (name, id) => plan.keys.has(id) && !hasEnds(plan.layout, name));
  if (Object.keys(indexes).length + Object.keys(keys).length + plan.derived.length === 0) return undefined;
  return { log, needs: needsOf(plan, { indexes, keys }), indexes, keys };
}

function idsOf(built: Catalog["indexes"], isWanted: (name: string, id: number) => boolean): Record<string, number> {
  return Object.fromEntries(Object.entries(built).flatMap(([name, { id }]) => (isWanted(name, id) ? [[name, id]] : [])));
}

function hasEnds(layout: Layout, key: string): boolean {
  return (layout.keys.find(({ name }) => name === key)?.ends ?? []).length > 0;
}

function needsOf({ next, layout, derived }: DeployPlan<Catalog>, { indexes, keys }: Pick<BegunBuild, "indexes" | "keys">): string {
  const fields = new Set<FieldName>([
    ...layout.indexes.flatMap(({ name, field }) => (name in indexes ? [field] : [])),
    ...layout.keys.flatMap((key) => (key.name in keys ? key.fields : [])),
    ...derived.flatMap(({ name, derived: by }) => [name, ...(by?.from ?? [])]),
  ]);
  return JSON.stringify([
    notesFormat,
    Object.keys(indexes).map((name) => [name, next.indexes[name]?.signature]),
    Object.keys(keys).map((name) => [name, next.keys[name]?.signature]),
    derived.map(({ name, derived: by }) => [name, by?.id, by?.from, typesWith(layout, name)]),
    [...fields].map((name) => {
      const { kind, list, converted, derivation } = next.fields[name] ?? {};
      return [name, kind, list, converted, derivation ?? null];
    }),
  ]);
}

function typesWith({ types }: Layout, field: FieldName): readonly string[] {
  return types.flatMap((type) => (type.fields.includes(field) ? [type.name] : []));
}

/** The interrupted build that the migration goes on with. */
export async function resumableBuild(database: Database, plan: DeployPlan<Catalog>): Promise<BegunBuild | undefined> {
  const { build } = database.catalog;
  if (build === undefined || begunBuild(plan, build.log)?.needs !== build.needs) return undefined;
  const read = new BuildProgress(database, build).note("read");
  return read !== undefined && (await areWholeRuns(database.store.folder, read)) ? build : undefined;
}

/** The same plan with the structures of the build in the place of new ones. */
export function resumedPlan(plan: DeployPlan<Catalog>, build: Pick<BegunBuild, "indexes" | "keys">): DeployPlan<Catalog> {
  const indexes = withIds(plan.next.indexes, build.indexes);
  const keys = withIds(plan.next.keys, build.keys);
  const now = (before: Catalog["indexes"], after: Catalog["indexes"], ids: ReadonlySet<number>) =>
    new Set(Object.keys(before).flatMap((name) => (ids.has(before[name]?.id ?? 0) ? [after[name]?.id ?? 0] : [])));
  return {
    ...plan,
    next: { ...plan.next, indexes, keys },
    indexes: now(plan.next.indexes, indexes, plan.indexes),
    keys: now(plan.next.keys, keys, plan.keys),
  };
}

function withIds(built: Catalog["indexes"], ids: Readonly<Record<string, number>>): Catalog["indexes"] {
  return Object.fromEntries(Object.entries(built).map(([name, each]) => [name, { ...each, id: ids[name] ?? each.id }]));
}
