// Packages that are imported when they are used, and that an application may not have installed.

import { createRequire } from "node:module";
import { QuernError } from "../../../core/plugin.ts";

const { resolve } = createRequire(import.meta.url);

/**
 * Imports nothing.
 *
 * @param install the command that installs it
 * @throws QuernError `CONFIG_INVALID`
 */
export function assertInstalled(name: string, install: string): void {
  if (isInstalled(name)) return;
  throw new QuernError("CONFIG_INVALID", `Accounts need the package ${name}, which is not installed. Run: ${install}`);
}

export function isInstalled(name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch (thrown) {
    // One without an entry for `require` has another code.
    return codeOf(thrown) !== "MODULE_NOT_FOUND";
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
