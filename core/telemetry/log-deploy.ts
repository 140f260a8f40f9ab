// Logs deploys and the indexes they build. The reasons of a refusal go to the caller only: they quote schemas and data.

import type { MigrateOptions, MigrationStep } from "../contracts/storage/migration.ts";
import { QuernError } from "../ground/errors.ts";
import { PluginFault } from "../ground/plugin-fault.ts";
import type { Log } from "./log.ts";

/** @param work runs the deploy, and returns whether the served schema changed */
export async function logDeploy(log: Log, options: MigrateOptions, work: (options: MigrateOptions) => Promise<boolean>): Promise<void> {
  const begun = performance.now();
  const built: string[] = [];
  const logged = migrationLog(log, built);
  const progress = (step: MigrationStep) => {
    options.progress?.(step);
    logged(step);
  };
  try {
    const changed = await work({ ...options, progress });
    if (changed) log.info("deploy", "another schema is served", { built, durationMs: Math.round(performance.now() - begun) });
    else log.debug("deploy", "the schema is served already");
  } catch (thrown) {
    if (thrown instanceof QuernError && !(thrown.cause instanceof PluginFault))
      log.warn("deploy", `a schema is refused: ${thrown.code}`, { code: thrown.code, problems: Math.max(1, thrown.errors.length) });
    else log.fault(thrown instanceof QuernError ? thrown.cause : thrown, { where: "deploy" });
    throw thrown;
  }
}

/**
 * Logs each step of a migration when it begins.
 *
 * @param built receives what is built
 */
export function migrationLog(log: Log, built: string[] = []): (step: MigrationStep) => void {
  return ({ what, total }) => {
    if (built.includes(what)) return;
    built.push(what);
    log.info("migration", `building ${what}`, { what, ...(total > 0 && { total }) });
  };
}
