// Where exports and backups go: a folder of this machine.

import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { QuernError } from "../../../core/index.ts";

/**
 * The folder that an administrator names.
 *
 * @param given a path or a `file:` URL; undefined or empty: the folder of the configuration
 * @throws QuernError `REQUEST_INVALID` for places that are no folders
 */
export function destinationFolder(given: string | undefined, configured: string): string {
  if (given === undefined || given === "") return resolve(configured);
  if (given.includes("\0")) throw new QuernError("REQUEST_INVALID", "the destination is no path");
  if (given.startsWith("file:")) return fileURLToPath(given);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1];
  if (scheme !== undefined) throw new QuernError("REQUEST_INVALID", `this server writes to folders only, and not to ${scheme}:`);
  return isAbsolute(given) ? given : resolve(given);
}

/** `dgraph.r42.u0102.1530`: the number of a commit, and the time in UTC. */
export function exportName(commit: number, at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `dgraph.r${commit}.u${two(at.getUTCMonth() + 1)}${two(at.getUTCDate())}.${two(at.getUTCHours())}${two(at.getUTCMinutes())}`;
}

export function isExportName(name: string): boolean {
  return /^dgraph\.r\d+\.u\d{4}\.\d{4}$/.test(name);
}

/** The folder for exports without a destination, when none is configured: beside the data. */
export function defaultExports(storageFolder: string | undefined): string {
  return storageFolder === undefined ? "export" : join(storageFolder, "export");
}
