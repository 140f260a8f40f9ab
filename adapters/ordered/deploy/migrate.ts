// Deploys a layout: builds missing structures while the old layout serves, then switches layout and document in one commit.

import type { Deployed, Layout, MigrateOptions, MigrationStep } from "../../../core/storage.ts";
import { assertNoObstacles, assertTakesOver, isDeployedLayout, planDeploy } from "../../storage-kit/index.ts";
import type { Database } from "../database.ts";
import { Build } from "./build.ts";
import type { Catalog } from "./catalog.ts";
import { violatedConditions } from "./conditions.ts";
import { withoutDeferred } from "./deferred-indexes.ts";
import { buildLayoutRuntime } from "./layout-runtime.ts";

export interface MigrationRequest {
  readonly layout: Layout;
  readonly document: string;
  readonly progress: ((step: MigrationStep) => void) | undefined;
  readonly takeOver: MigrateOptions["takeOver"];
  readonly deferIndexes?: boolean;
  /** What a build of indexes holds in memory before it uses the disk, counted in uids. */
  readonly gatheredAtMost?: number;
}

export function deployedOf({ version, document }: Catalog): Deployed | undefined {
  return document === undefined ? undefined : { version, document };
}

export async function migrate(database: Database, request: MigrationRequest): Promise<Deployed> {
  const { layout, document, progress } = request;
  const { catalog } = database;
  assertTakesOver(catalog, request);
  const now = request.deferIndexes === true ? withoutDeferred(database, layout) : layout;
  if (isDeployedLayout(catalog, now)) return await keepLayout(database, layout, document);
  const plan = planDeploy(now, catalog);
  assertNoObstacles(await violatedConditions(database, plan.conditions));
  const version = catalog.version + 1;
  const next: Catalog = { ...plan.next, version, document };
  // After an interruption, the next start sweeps these structures.
  const begun = [...plan.indexes, ...plan.keys, ...plan.edges.map((edge) => edge.id)];
  if (begun.length > 0) await database.changeCatalog((current) => ({ ...current, nextId: next.nextId, unfinished: begun }));
  const build = new Build(database, plan, { schema: buildLayoutRuntime(layout, next, database.registry), gatheredAtMost: request.gatheredAtMost });
  try {
    await build.run(progress);
    await database.write(() => {
      assertNoObstacles(build.violations());
      return database.catalogChange({ ...next, garbage: [...database.stagedCatalog.garbage, ...newGarbage(catalog, next)], unfinished: [] }, layout);
    });
  } catch (reason) {
    await build.abandon();
    await database.changeCatalog((current) => ({ ...current, unfinished: [], garbage: [...current.garbage, ...begun] })).catch(() => undefined);
    throw reason;
  }
  return { version, document };
}

function newGarbage(before: Catalog, next: Catalog): number[] {
  return next.garbage.filter((id) => !before.garbage.includes(id));
}

/** The layout is unchanged: takes its new functions, and stores the document if it differs. */
async function keepLayout(database: Database, layout: Layout, document: string): Promise<Deployed> {
  if (database.catalog.document === document) database.handIn(layout);
  else await database.write(() => database.catalogChange({ ...database.stagedCatalog, document }, layout));
  return { version: database.catalog.version, document };
}
