// Looks over the folder of a store before LevelDB opens it, and changes nothing: LevelDB takes a folder without CURRENT for a new store and
// deletes its tables. What is checked here costs little: presence, sizes, footers, and the checksums of manifest and logs.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { checkClosedFiles } from "./closed-files.ts";
import type { Damage } from "./damage.ts";
import { type FileName, logName, parseFileName, tableName } from "./file-names.ts";
import { readLog } from "./log-file.ts";
import { isMissing, readVersion, type TableEntry, type Version } from "./manifest.ts";
import { isBeingReplaced } from "./replace-files.ts";
import { checkFooter } from "./table-file.ts";

/** A table of the store with its file. */
export interface TableFile extends TableEntry {
  readonly file: string;
}

export interface Survey {
  readonly damages: readonly Damage[];
  /** Ascending by level. Empty for a new store, and when the manifest cannot be read. */
  readonly tables: readonly TableFile[];
}

/** Whether the folder holds files of a store, whole or not. */
export async function holdsStoreFiles(folder: string): Promise<boolean> {
  return !isNew(parsedNames(await namesIn(folder))) || (await isBeingReplaced(folder));
}

/** Looks again while it finds another damage each time: a process that has the store open deletes files meanwhile. */
export async function surveyFolder(folder: string): Promise<Survey> {
  let found = await surveyOnce(folder);
  for (let tries = 0; found.damages.length > 0 && tries < 5; tries++) {
    await setTimeout(50);
    const again = await surveyOnce(folder);
    if (isDeepStrictEqual(again.damages, found.damages)) return again;
    found = again;
  }
  return found;
}

async function surveyOnce(folder: string): Promise<Survey> {
  // The next opening moves files first, and looks at them then.
  if (await isBeingReplaced(folder)) return { damages: [], tables: [] };
  const names = await namesIn(folder);
  if (isNew(parsedNames(names))) return { damages: [], tables: [] };
  const version = await readVersion(folder);
  if (!("manifest" in version)) return { damages: version, tables: [] };
  const tables = tableFiles(version, names);
  const damages = [
    ...(await eachOf(tables, (table) => checkTable(folder, table))),
    ...(await eachOf(neededLogs(version, names), (file) => checkLog(folder, file))),
  ];
  return { damages: [...damages, ...(await checkClosedFiles(folder, version.manifest, damages))], tables };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (reason) {
    if (isMissing(reason)) return new Set();
    throw reason;
  }
}

function parsedNames(names: ReadonlySet<string>): readonly FileName[] {
  return [...names].flatMap((name) => parseFileName(name) ?? []).filter(({ kind }) => kind !== "temporary");
}

/** A process that was killed while it made the store leaves the first manifest alone. A store that was open once has a later one. */
function isNew(files: readonly FileName[]): boolean {
  return files.every(({ kind, number }) => kind === "manifest" && number === 1);
}

/** Tables of early versions of LevelDB have another ending. */
function tableFiles({ tables }: Version, names: ReadonlySet<string>): readonly TableFile[] {
  const fileOf = (name: string) => (names.has(name) ? name : name.replace(/ldb$/, "sst"));
  return [...tables.values()]
    .sort((a, b) => a.level - b.level)
    .map((table) => ({ ...table, file: names.has(fileOf(tableName(table.number))) ? fileOf(tableName(table.number)) : tableName(table.number) }));
}

/** The oldest log that is needed is always there: LevelDB makes it before the manifest names it. */
function neededLogs({ logNumber, previousLogNumber }: Version, names: ReadonlySet<string>): readonly string[] {
  const isNeeded = ({ kind, number }: FileName) => kind === "log" && (number >= logNumber || number === previousLogNumber);
  const there = [...names].filter((name) => isNeeded(parseFileName(name) ?? { kind: "current", number: 0 }));
  const named = [logNumber, previousLogNumber].filter((number) => number > 0).map(logName);
  return [...new Set([...named, ...there])].sort();
}

/** A few at a time: most of it is waiting for the disk. */
async function eachOf<T>(items: readonly T[], check: (item: T) => Promise<readonly Damage[]>): Promise<readonly Damage[]> {
  const atOnce = 16;
  const damages: Damage[] = [];
  for (let i = 0; i < items.length; i += atOnce) damages.push(...(await Promise.all(items.slice(i, i + atOnce).map(check))).flat());
  return damages;
}

async function checkTable(folder: string, { file, bytes }: TableFile): Promise<readonly Damage[]> {
  const found = await sizeOf(join(folder, file));
  if (found === undefined) return [{ file, found: "is missing" }];
  if (found === 0) return [{ file, found: "is empty" }];
  if (found !== bytes) return [{ file, found: `has ${found} bytes, and ${bytes} were written` }];
  const damages: Damage[] = [];
  await checkFooter(join(folder, file), bytes, { onDamage: (what) => void damages.push({ file, found: what }) });
  return damages;
}

async function checkLog(folder: string, file: string): Promise<readonly Damage[]> {
  const damages: Damage[] = [];
  try {
    await readLog(join(folder, file), { onDamage: (what) => void damages.push({ file, found: what }) });
  } catch (reason) {
    if (!isMissing(reason)) throw reason;
    return [{ file, found: "is missing" }];
  }
  return damages;
}

export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (reason) {
    if (isMissing(reason)) return undefined;
    throw reason;
  }
}
