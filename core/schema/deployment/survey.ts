// What plugins find wrong with a deployed schema, and with the data under it. Nothing of it refuses the deploy.

import type { SchemaWarning } from "../../contracts/plugin/hooks.ts";
import type { Storage } from "../../contracts/storage/storage.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Log } from "../../telemetry/log.ts";
import type { PluginHooks } from "../plugins/plugin-hooks.ts";
import { TimeBudget } from "./time-budget.ts";

/** Time limit for all surveys of a deploy. */
const surveyingMs = 10_000;

export interface PluginWarning extends SchemaWarning {
  readonly plugin: string;
}

export function warningsOf(hooks: readonly PluginHooks[]): readonly PluginWarning[] {
  return hooks.flatMap(({ plugin, hooks: { warnings = [] } }) => warnings.map((each) => ({ ...each, plugin })));
}

export interface Surveying {
  readonly storage: Storage;
  readonly version: number;
  readonly log: Log;
}

/** Runs the `survey` hooks one after the other. Never rejects. */
export async function surveyed(hooks: readonly PluginHooks[], { storage, version, log }: Surveying): Promise<readonly PluginWarning[]> {
  const found: PluginWarning[] = [];
  const budget = new TimeBudget(performance.now() + surveyingMs, `It takes more than ${surveyingMs / 1_000} seconds.`);
  for (const { plugin, hooks: each } of hooks) {
    if (!each.survey) continue;
    const snapshot = storage.snapshot({ version, budget });
    try {
      for (const warning of await each.survey({ snapshot })) found.push({ ...warning, plugin });
    } catch (thrown) {
      if (!(thrown instanceof QuernError)) log.fault(thrown, { plugin, hook: "survey" });
      const reason = thrown instanceof QuernError ? thrown.message : "An internal error; see the log.";
      found.push({ plugin, message: `The plugin ${plugin} could not compare the data with the schema. ${reason}` });
    } finally {
      snapshot.close();
    }
  }
  return found;
}
