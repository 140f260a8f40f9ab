// The audit of administrators: `--audit` or `QUERN_AUDIT` adds it to a stack that does not have it.

import { QuernError } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { readSwitch } from "../ground/switches.ts";

export async function withAudit(plugins: readonly DirectivePlugin[]): Promise<readonly DirectivePlugin[]> {
  if (!isWanted(process.env.QUERN_AUDIT ?? "") || plugins.some(({ name }) => name === "audit")) return plugins;
  const { auditPlugin } = await import("../../../plugins/audit/index.ts");
  return [...plugins, auditPlugin()];
}

function isWanted(text: string): boolean {
  const isOn = text === "" ? false : readSwitch(text);
  if (isOn === undefined) throw new QuernError("CONFIG_INVALID", "The environment variable QUERN_AUDIT has a wrong value: it must be true or false.");
  return isOn;
}
