import type { Layout, LayoutComparison } from "../../../core/index.ts";
import type { Database } from "../database.ts";
import { violatedConditions } from "./conditions.ts";
import { describeLayout, planDeploy } from "./plan.ts";

export async function compareLayout(database: Database, layout: Layout): Promise<LayoutComparison> {
  if (database.catalog.layout === describeLayout(layout)) return { obstacles: [], work: [] };
  const plan = planDeploy(layout, database.catalog);
  return { obstacles: await violatedConditions(database, plan.conditions), work: [] };
}
