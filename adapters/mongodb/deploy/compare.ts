// What a deploy would build, and which data forbid it. Changes nothing.

import type { LayoutComparison } from "../../../core/storage.ts";
import { buildSteps, describeWork, isDeployedLayout } from "../../storage-kit/index.ts";
import { compareAdoption } from "../adopt/adoption.ts";
import type { Database } from "../database/database.ts";
import { describedLayout } from "../database/open-gate.ts";
import { buildLayoutRuntime, type LayoutRuntime } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { wantedIndexes } from "../layout/native-indexes.ts";
import { indexSites, overfullCollections } from "./build-indexes.ts";
import { violatedConditions } from "./conditions.ts";
import { ambiguousEnds, gatherLinks } from "./join-edges.ts";
import { keyObstacles } from "./key-holders.ts";
import type { MigrationRequest } from "./migrate.ts";
import { keysOverPairs, type MongoPlan, planMongo } from "./next-catalog.ts";
import { unfitCollections } from "./unfit-collections.ts";

export type ComparisonRequest = Pick<MigrationRequest, "layout" | "declared" | "adopt">;

export async function compareLayout(database: Database, { layout, declared, adopt }: ComparisonRequest): Promise<LayoutComparison> {
  await database.refresh();
  const { catalog, connection } = database;
  if (isDeployedLayout(catalog, layout)) return { obstacles: [], work: [] };
  const plan = planMongo(layout, catalog);
  const schema = buildLayoutRuntime(layout, plan.next);
  const serving = wantedIndexes(describedLayout(catalog), catalog);
  const obstacles = [...keysOverPairs(plan), ...(await unfitCollections(connection, schema))];
  if (obstacles.length > 0) return { obstacles, work: [] };
  const adoption = await compareAdoption({ database, schema, declared }, adopt);
  if (adoption.obstacles.length + adoption.work.length > 0) return adoption;
  obstacles.push(...overfullCollections(await indexSites(connection, wantedIndexes(layout, plan.next), serving)));
  obstacles.push(...(await violatedConditions(connection, catalog, plan.conditions)));
  for (const key of schema.keys) if (plan.keys.has(key.id)) obstacles.push(...(await keyObstacles(connection, key)));
  for (const build of plan.edges) obstacles.push(...ambiguousEnds(await gatherLinks(connection, catalog, build)));
  return { obstacles, work: await workOf(database, plan, schema) };
}

async function workOf({ connection }: Database, plan: MongoPlan, schema: LayoutRuntime): Promise<string[]> {
  const count = async (types: Iterable<string>) => {
    const counts = await Promise.all([...types].map((type) => connection.collection(collectionOf(type)).countDocuments({}, { hint: "_id_" })));
    return counts.reduce((a, b) => a + b, 0);
  };
  const indexes = new Map([...schema.indexes.values(), ...schema.compounds].map((index) => [index.name, index]));
  return describeWork(
    await Promise.all(buildSteps(plan, { ...schema, indexes }).map(async ({ title, types }) => ({ title, nodes: await count(types) }))),
  );
}
