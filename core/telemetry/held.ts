// Logs that a hook of a plugin has run for so long without a pause that nothing else could. An endless loop cannot be ended: it is never logged.

import type { PluginPlace } from "../ground/plugin-fault.ts";
import type { Log } from "./log.ts";

export function logHeld(log: Log, { plugin, hook }: PluginPlace, ms: number): void {
  const seconds = (ms / 1_000).toFixed(1);
  log.warn("held", `Plugin "${plugin}", hook ${hook}, held the event loop for ${seconds} s: no request was answered meanwhile`, {
    plugin,
    hook,
    durationMs: Math.round(ms),
  });
}
