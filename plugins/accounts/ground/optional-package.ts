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
  try {
    resolve(name);
  } catch (cause) {
    // One without an entry for `require` has another code.
    if (codeOf(cause) !== "MODULE_NOT_FOUND") return;
    throw new QuernError("CONFIG_INVALID", `Accounts need the package ${name}, which is not installed. Run: ${install}`, { cause });
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
