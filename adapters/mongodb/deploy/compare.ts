// Says what a deploy would meet, without changing anything.

import type { Layout, LayoutComparison } from "../../../core/index.ts";
import { isDeployedLayout } from "../../storage-kit/index.ts";
import type { Database } from "../database.ts";
import { buildLayoutRuntime } from "../layout/layout-runtime.ts";
import { collectionOf } from "../names.ts";
import { crowdedSites, indexSites } from "./build-indexes.ts";
import { violatedConditions } from "./conditions.ts";
import { crowdedEnds, gatherLinks } from "./join-edges.ts";
import { keyObstacles } from "./key-holders.ts";
import { wantedIndexes } from "./native-indexes.ts";
import { type MongoPlan, planMongo } from "./next-catalog.ts";
import { describedLayout } from "./open-gate.ts";

export async function compareLayout(database: Database, layout: Layout): Promise<LayoutComparison> {
  await database.refresh();
  const { catalog, connection } = database;
  if (isDeployedLayout(catalog, layout)) return { obstacles: [], work: [] };
  const plan = planMongo(layout, catalog);
  const schema = buildLayoutRuntime(layout, plan.next);
  const serving = wantedIndexes(describedLayout(catalog), catalog);
  const obstacles = crowdedSites(await indexSites(connection, wantedIndexes(layout, plan.next), serving));
  obstacles.push(...(await violatedConditions(connection, catalog, plan.conditions)));
  for (const key of schema.keys) if (plan.keys.has(key.id)) obstacles.push(...(await keyObstacles(connection, key)));
  for (const build of plan.edges) obstacles.push(...crowdedEnds(await gatherLinks(connection, catalog, build)));
  return { obstacles, work: await workOf(database, plan, layout) };
}

async function workOf({ connection }: Database, plan: MongoPlan, layout: Layout): Promise<string[]> {
  const schema = buildLayoutRuntime(layout, plan.next);
  const count = async (types: Iterable<string>) => {
    const counts = await Promise.all(
      [...new Set(types)].map((type) => connection.collection(collectionOf(type)).countDocuments({}, { hint: "_id_" })),
    );
    return counts.reduce((a, b) => a + b, 0);
  };
  const lines: { readonly line: string; readonly over: Iterable<string> }[] = [
    ...[...schema.indexes.values()]
      .filter((index) => plan.indexes.has(index.id))
      .map((index) => ({ line: `build index ${index.name}`, over: index.field.types })),
    ...schema.keys.filter((key) => plan.keys.has(key.id)).map((key) => ({ line: `build key ${key.layout.name}`, over: key.types })),
    ...plan.derived.map((field) => ({ line: `derive field ${field.name}`, over: schema.fields.get(field.name)?.types ?? [] })),
    ...plan.edges.map(({ edge, sources }) => ({ line: `join links to edge ${edge.name}`, over: sources.flatMap((source) => source.carried.types) })),
  ];
  const counted = await Promise.all(lines.map(async ({ line, over }) => ({ line, nodes: await count(over) })));
  return counted.filter(({ nodes }) => nodes > 0).map(({ line, nodes }) => `${line} over ${nodes.toLocaleString("en")} nodes`);
}
