// Looks over the folder of a store before LevelDB opens it, and changes nothing: LevelDB takes a folder without CURRENT for a new store and
// deletes its tables. What is checked here costs little: presence, sizes, footers, and the checksums of manifest and logs.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { checkClosedFiles } from "./closed-files.ts";
import type { Damage } from "./damage.ts";
import { lostWrites, readDurableNote } from "./durable-note.ts";
import { type FileName, logName, parseFileName, tableName } from "./file-names.ts";
import { heldTable, mergedNames } from "./held-tables.ts";
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
  /** Tables that are held and were merged into others: not verified yet, because a process was killed, or damaged. */
  readonly merged: readonly StoredTable[];
  /** The number of the last write; 0 for a new store. */
  readonly sequence: number;
}

export type StoredTable = Pick<TableFile, "file" | "bytes">;

const emptySurvey: Survey = { damages: [], tables: [], merged: [], sequence: 0 };

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
  if (await isBeingReplaced(folder)) return emptySurvey;
  const note = await readDurableNote(folder);
  const names = await namesIn(folder);
  if (isNew(parsedNames(names))) return emptySurvey;
  const version = await readVersion(folder);
  if (!("manifest" in version)) return { ...emptySurvey, damages: version };
  const tables = tableFiles(version, names);
  const logs = await readLogs(folder, neededLogs(version, names));
  const sequence = Math.max(version.lastSequence, logs.lastWrite);
  const damages = [...(await eachOf(tables, (table) => checkTable(folder, table))), ...logs.damages];
  damages.push(...(await checkClosedFiles(folder, version.manifest, damages)));
  if (damages.length === 0) damages.push(...lostWrites(note, { manifest: version.manifest, log: logs.newest, sequence }));
  return { damages, tables, merged: await mergedTables(folder, version), sequence };
}

async function mergedTables(folder: string, version: Version): Promise<readonly StoredTable[]> {
  const files = (await mergedNames(folder, version)).map(heldTable);
  const sizes = await Promise.all(files.map(async (file) => ({ file, bytes: await sizeOf(join(folder, file)) })));
  // One that is gone by now was verified.
  return sizes.flatMap(({ file, bytes }) => (bytes === undefined ? [] : [{ file, bytes }]));
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

/** The tables of a version, low levels first. */
export async function tableFilesIn(folder: string, version: Version): Promise<readonly TableFile[]> {
  return tableFiles(version, await namesIn(folder));
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

interface Logs {
  readonly damages: readonly Damage[];
  /** The number of the last write in them; 0 when they hold none. */
  readonly lastWrite: number;
  /** The name of the last one. */
  readonly newest: string;
}

async function readLogs(folder: string, files: readonly string[]): Promise<Logs> {
  const damages: Damage[] = [];
  let lastWrite = 0;
  for (const file of files) {
    try {
      await readLog(join(folder, file), {
        onDamage: (found) => void damages.push({ file, found }),
        onRecord: (record) => {
          lastWrite = Math.max(lastWrite, lastWriteOf(record));
        },
      });
    } catch (reason) {
      if (!isMissing(reason)) throw reason;
      damages.push({ file, found: "is missing" });
    }
  }
  return { damages, lastWrite, newest: files.at(-1) ?? "" };
}

export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (reason) {
    if (isMissing(reason)) return undefined;
    throw reason;
  }
}

// A record of a log is a batch: the number of its first write (8 bytes), the count of its writes (4), and these.

const headerBytes = 12;

/** The number of the last write in a batch; 0 for what is no batch. */
function lastWriteOf(record: Uint8Array): number {
  if (record.length < headerBytes) return 0;
  const view = new DataView(record.buffer, record.byteOffset, headerBytes);
  return Number(view.getBigUint64(0, true)) + view.getUint32(8, true) - 1;
}
