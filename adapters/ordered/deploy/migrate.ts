// Deploys a layout: builds missing structures while the old layout serves, then switches layout and document in one commit.

import { type Deployed, type Layout, type MigrateOptions, type MigrationStep, QuernError } from "../../../core/storage.ts";
import { assertNoObstacles, assertTakesOver, type DeployPlan, isDeployedLayout, planDeploy } from "../../storage-kit/index.ts";
import type { LoadedIndexes } from "../build/loaded-indexes.ts";
import type { Database } from "../database/database.ts";
import { type BegunBuild, type Catalog, structuresOf, withoutBuild } from "../layout/catalog.ts";
import { buildLayoutRuntime } from "../layout/layout-runtime.ts";
import { Build, lateChanges } from "./build.ts";
import { violatedConditions } from "./conditions.ts";
import { withoutDeferred } from "./deferred-indexes.ts";
import { beginLoad, endLoad } from "./load-mode.ts";
import { begunBuild, resumableBuild, resumedPlan } from "./resume.ts";

export interface MigrationRequest {
  readonly layout: Layout;
  readonly document: string;
  readonly progress: ((step: MigrationStep) => void) | undefined;
  readonly takeOver: MigrateOptions["takeOver"];
  readonly deferIndexes?: boolean;
  /** Indexes that another thread has written. */
  readonly loaded?: LoadedIndexes | undefined;
  /** What a build of indexes holds in memory before it uses the disk, counted in uids. */
  readonly gatheredAtMost?: number;
}

export function deployedOf({ version, document }: Catalog): Deployed | undefined {
  return document === undefined ? undefined : { version, document };
}

export async function migrate(database: Database, request: MigrationRequest): Promise<Deployed> {
  const deployed = await deploy(database, request).catch(async (thrown: unknown) => {
    if (thrown !== lateChanges) throw thrown;
    return await deploy(database, { ...request, loaded: undefined });
  });
  // Who defers indexes is about to load.
  if (request.deferIndexes === true) await beginLoad(database);
  else endLoad(database);
  return deployed;
}

async function deploy(database: Database, request: MigrationRequest): Promise<Deployed> {
  const { layout, document, progress } = request;
  const { catalog } = database;
  assertTakesOver(catalog, request);
  const now = request.deferIndexes === true ? withoutDeferred(database, layout) : layout;
  if (isDeployedLayout(catalog, now)) return await keepLayout(database, layout, document);
  const planned = planOf(now, catalog, request.loaded);
  assertNoObstacles(await violatedConditions(database, planned.conditions));
  const { plan, begun } = await begin(database, planned);
  const version = catalog.version + 1;
  const next: Catalog = { ...plan.next, version, document, build: undefined };
  const schema = buildLayoutRuntime(layout, next, database.registry);
  const build = new Build(database, plan, { schema, begun, gatheredAtMost: request.gatheredAtMost, loaded: request.loaded });
  try {
    await build.run(progress);
    await database.write(() => {
      assertNoObstacles(build.violations());
      const garbage = [...database.stagedCatalog.garbage, ...newGarbage(catalog, next), ...build.garbage];
      const nextId = Math.max(next.nextId, database.stagedCatalog.nextId);
      return database.catalogChange({ ...next, nextId, garbage, unfinished: [] }, layout);
    });
  } catch (reason) {
    const isRefused = reason instanceof QuernError && reason.code === "MIGRATION_REFUSED";
    await build.abandon();
    await database.changeCatalog((current) => abandoned(isRefused ? withoutBuild(current) : current)).catch(() => undefined);
    await build.end({ isOver: database.catalog.build === undefined });
    throw reason;
  }
  await build.end({ isOver: true });
  return { version, document };
}

/** The plan with the structures that are loaded in the place of new ones. */
function planOf(layout: Layout, catalog: Catalog, loaded: LoadedIndexes | undefined): DeployPlan<Catalog> {
  const planned = planDeploy(layout, catalog);
  return loaded === undefined ? planned : resumedPlan(planned, { indexes: loaded.ids, keys: {} });
}

/** What a build that failed has kept of itself stays: the next migration goes on with it. */
function abandoned(catalog: Catalog): Catalog {
  return { ...catalog, unfinished: [], garbage: [...catalog.garbage, ...catalog.unfinished] };
}

interface Begun {
  readonly plan: DeployPlan<Catalog>;
  readonly begun: BegunBuild | undefined;
}

/** Lists the structures that are built, so that the next start sweeps them after an interruption, until their build keeps its progress. */
async function begin(database: Database, planned: DeployPlan<Catalog>): Promise<Begun> {
  const resumed = await resumableBuild(database, planned);
  const plan = resumed === undefined ? planned : resumedPlan(planned, resumed);
  const begun = resumed ?? begunBuild(plan, plan.next.nextId);
  const kept = new Set(resumed === undefined ? [] : structuresOf(resumed));
  const built = [...plan.indexes, ...plan.keys, ...plan.edges.map((edge) => edge.id), ...(begun === undefined ? [] : [begun.log])];
  const unfinished = built.filter((id) => !kept.has(id));
  if (unfinished.length > 0 || database.catalog.build !== undefined)
    await database.changeCatalog((current) => {
      const catalog = resumed === undefined ? withoutBuild(current) : current;
      return { ...catalog, nextId: plan.next.nextId + 1, unfinished };
    });
  return { plan, begun };
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
