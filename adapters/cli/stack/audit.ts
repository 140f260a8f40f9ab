// The audit of administrators in the standard stack: it is there unless `--no-audit` or `QUERN_NO_AUDIT` leaves it out.

import { QuernError } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { readSwitch } from "../ground/switches.ts";

export async function withAudit(plugins: readonly DirectivePlugin[]): Promise<readonly DirectivePlugin[]> {
  if (isLeftOut(process.env.QUERN_NO_AUDIT ?? "")) return plugins;
  const { auditPlugin } = await import("../../../plugins/audit/index.ts");
  return [...plugins, auditPlugin()];
}

function isLeftOut(text: string): boolean {
  const isOn = text === "" ? false : readSwitch(text);
  if (isOn === undefined)
    throw new QuernError("CONFIG_INVALID", "The environment variable QUERN_NO_AUDIT has a wrong value: it must be true or false.");
  return isOn;
}
