// Hard links of a store's tables, in the folder `held`. LevelDB merges tables without comparing their checksums, and then deletes them: what was damaged
// is gone, and what it left lies in new tables with valid checksums. A table that is still here when it was merged can be verified all the same.

import { link, readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../storage-kit/index.ts";
import { parseFileName } from "./file-names.ts";
import { isMissing, type Version } from "./manifest.ts";

const held = "held";

/** The path of a held table in the folder of the store. */
export function heldTable(name: string): string {
  return join(held, name);
}

export function isHeldTable(file: string): boolean {
  return file.startsWith(heldTable(""));
}

/** Names of tables in a folder; none when there is no such folder. */
export async function tableNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => parseFileName(name)?.kind === "table");
  } catch (reason) {
    if (isMissing(reason)) return [];
    throw reason;
  }
}

export function heldNames(folder: string): Promise<readonly string[]> {
  return tableNames(join(folder, held));
}

/** Held tables that were merged and not verified since: a killed process leaves them. What the manifest never named was never part of the store. */
export async function mergedNames(folder: string, { tables, named }: Version): Promise<readonly string[]> {
  return (await heldNames(folder)).filter((name) => {
    const number = parseFileName(name)?.number ?? 0;
    return named.has(number) && !tables.has(number);
  });
}

/**
 * Holds the tables of a store, and no others. Merged ones are verified by now.
 *
 * @returns false when the file system has no hard links
 */
export async function holdTables(folder: string, names: readonly string[]): Promise<boolean> {
  await makeFolder(join(folder, held));
  for (const name of await heldNames(folder)) if (!(await isHeld(folder, name)) || !names.includes(name)) await dropTable(folder, name);
  for (const name of names) if (!(await hold(folder, name))) return false;
  return true;
}

async function isHeld(folder: string, name: string): Promise<boolean> {
  const [own, other] = await Promise.all([name, heldTable(name)].map((file) => stat(join(folder, file), { bigint: true }).catch(() => undefined)));
  return own !== undefined && own.ino === other?.ino && own.dev === other.dev;
}

async function hold(folder: string, name: string): Promise<boolean> {
  try {
    await link(join(folder, name), join(folder, heldTable(name)));
    return true;
  } catch (reason) {
    return isMissing(reason) || isThere(reason);
  }
}

export function isThere(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "EEXIST";
}

export async function dropTable(folder: string, name: string): Promise<void> {
  await rm(join(folder, heldTable(name)), { force: true });
}

/** Removes the folder when it holds nothing. */
export async function dropFolder(folder: string): Promise<void> {
  await rmdir(join(folder, held)).catch(() => undefined);
}

/** The files of the store will be others. */
export async function forgetHeldTables(folder: string): Promise<void> {
  await rm(join(folder, held), { recursive: true, force: true });
}
