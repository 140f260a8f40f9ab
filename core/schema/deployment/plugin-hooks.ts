// Opens what the plugins of a deployment hold, and closes it again.

import { QuernError } from "../../ground/errors.ts";
import { namedFault, type PluginFault, PluginTimeout, shownFault } from "../../ground/plugin-fault.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Deployment } from "./deployment.ts";

/**
 * An outage of an external service refuses a deploy, but must not prevent a restart with an accepted schema. A wrong configuration does, and so does a fault.
 *
 * @throws QuernError of the plugin, `PLUGIN_FAILED` for anything else that it throws, `PLUGIN_TIMEOUT`
 */
export async function openHooks({ hooks }: Pick<Deployment, "hooks">, why: "validate" | "deploy" | "restart", log: Log): Promise<void> {
  for (const each of hooks) {
    try {
      await each.hooks.open?.(why);
    } catch (thrown) {
      if (why !== "restart" || !isOutage(thrown)) throw shownFault(thrown);
      log.warn("plugin", `the plugin ${each.plugin} starts without its external resources: ${thrown.message}`, { plugin: each.plugin });
    }
  }
}

function isOutage(thrown: unknown): thrown is QuernError | PluginTimeout {
  return thrown instanceof PluginTimeout || (thrown instanceof QuernError && thrown.code !== "CONFIG_INVALID");
}

/** Calls all `close` hooks even if some throw. Logs and returns their errors. */
export async function closeHooks(deployment: Pick<Deployment, "hooks"> | undefined, log: Log): Promise<readonly PluginFault[]> {
  const closing = (deployment?.hooks ?? []).map(async ({ plugin, hooks }) => {
    try {
      await hooks.close?.();
      return [];
    } catch (thrown) {
      const fault = namedFault({ plugin, hook: "close" }, thrown);
      log.fault(fault, { plugin, hook: "close" });
      return [fault];
    }
  });
  return (await Promise.all(closing)).flat();
}
