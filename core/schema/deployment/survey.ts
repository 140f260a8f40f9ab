// What plugins find wrong with a deployed schema, and with the data under it. Nothing of it refuses the deploy.

import type { SchemaWarning } from "../../contracts/plugin/hooks.ts";
import type { Storage } from "../../contracts/storage/storage.ts";
import { QuernError } from "../../ground/errors.ts";
import { type Allowance, type Patience, patience } from "../../ground/patience.ts";
import { PluginTimeout } from "../../ground/plugin-fault.ts";
import type { Log } from "../../telemetry/log.ts";
import type { PluginHooks } from "../plugins/plugin-hooks.ts";
import { TimeBudget } from "./time-budget.ts";

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
  /** How long all surveys of a deploy may take together. */
  readonly patience: Patience;
}

/** Runs the `survey` hooks one after the other. Never rejects. */
export async function surveyed(
  hooks: readonly PluginHooks[],
  { storage, version, log, patience: given }: Surveying,
): Promise<readonly PluginWarning[]> {
  const found: PluginWarning[] = [];
  const allowed: Allowance = given.allow();
  const shared: Patience = { allow: () => allowed };
  const budget = new TimeBudget(allowed.until, `It has not ended ${allowed.limit}.`);
  for (const { plugin, hooks: each } of hooks) {
    if (!each.survey) continue;
    const snapshot = storage.snapshot({ version, budget });
    try {
      for (const warning of await each.survey(Object.assign({ snapshot }, { [patience]: shared }))) found.push({ ...warning, plugin });
    } catch (thrown) {
      if (!(thrown instanceof QuernError)) log.fault(thrown, { plugin, hook: "survey" });
      const reason = thrown instanceof QuernError || thrown instanceof PluginTimeout ? thrown.message : "An internal error; see the log.";
      found.push({ plugin, message: `The plugin ${plugin} could not compare the data with the schema. ${reason}` });
    } finally {
      snapshot.close();
    }
  }
  return found;
}
