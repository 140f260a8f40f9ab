// Access control of quern start: the plugin with a secret from a file.

import { QuernError } from "../../../core/index.ts";
import type { AclOptions } from "../../../plugins/acl/index.ts";
import type { QuernConfig } from "../../server/index.ts";

export interface AccessControlOptions {
  /** Path of a file that holds the secret of the tokens. */
  readonly aclSecret?: string;
  /** Lives of tokens, such as `20m` or `30d`. */
  readonly aclAccessTtl?: string;
  readonly aclRefreshTtl?: string;
}

/** Undefined: the options turn no access control on. */
export function accessControlOf({ aclSecret, aclAccessTtl, aclRefreshTtl }: AccessControlOptions): AclOptions | undefined {
  if (aclSecret === undefined) {
    if (aclAccessTtl === undefined && aclRefreshTtl === undefined) return undefined;
    throw new QuernError("CONFIG_INVALID", "--acl-access-ttl and --acl-refresh-ttl need --acl-secret <file>, which turns access control on.");
  }
  return {
    secretFile: aclSecret,
    ...(aclAccessTtl !== undefined && { accessTtlMs: durationMs("--acl-access-ttl", aclAccessTtl) }),
    ...(aclRefreshTtl !== undefined && { refreshTtlMs: durationMs("--acl-refresh-ttl", aclRefreshTtl) }),
  };
}

/** Adds the plugin; it replaces a configured one. */
export async function withAccessControl(config: QuernConfig, options: AccessControlOptions): Promise<QuernConfig> {
  const acl = accessControlOf(options);
  if (acl === undefined) return config;
  const { aclPlugin } = await import("../../../plugins/acl/index.ts");
  const plugin = aclPlugin(acl);
  const others = (config.plugins ?? []).filter(({ name }) => name !== plugin.name);
  return { ...config, plugins: [...others, plugin] };
}

/** Whether a plugin decides who may administrate: then no admin token is made. */
export function controlsAccess({ plugins = [] }: Pick<QuernConfig, "plugins">): boolean {
  return plugins.some(({ access }) => access !== undefined);
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationMs(option: string, text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 0);
  if (ms > 0) return ms;
  throw new QuernError("CONFIG_INVALID", `${option} ${text} is no duration; write a number with its unit: 30s, 20m, 6h or 30d.`);
}
