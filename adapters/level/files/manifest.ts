// Reads CURRENT and the manifest that it names: the tables and logs that make up the store.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ByteReader, Unreadable } from "./byte-reader.ts";
import type { Damage } from "./damage.ts";
import { parseFileName } from "./file-names.ts";
import { readLog } from "./log-file.ts";

export interface TableEntry {
  readonly number: number;
  readonly bytes: number;
  /** 0 to 6. Tables of a low level are merged into the next sooner. */
  readonly level: number;
}

/** The store as its manifest describes it. */
export interface Version {
  /** Name of the manifest. */
  readonly manifest: string;
  readonly tables: ReadonlyMap<number, TableEntry>;
  /** Numbers of all tables that the manifest has named, those included that were merged into others since. */
  readonly named: ReadonlySet<number>;
  /** The oldest log that is needed; 0 in a store that was never written to. Newer logs are needed too. */
  readonly logNumber: number;
  /** A log of an older version of LevelDB; 0: none. */
  readonly previousLogNumber: number;
  /** The number of the last write when the manifest was last written; the logs may hold later ones. */
  readonly lastSequence: number;
}

/** @returns the version, or what is wrong with CURRENT or the manifest */
export async function readVersion(folder: string): Promise<Version | readonly Damage[]> {
  const manifest = await readCurrent(folder);
  return typeof manifest === "string" ? await readManifest(folder, manifest) : [manifest];
}

/** @returns the name of the manifest, or what is wrong with CURRENT */
export async function readCurrent(folder: string): Promise<string | Damage> {
  const damaged = (found: string): Damage => ({ file: "CURRENT", found });
  const text = await textOf(join(folder, "CURRENT"));
  if (text === undefined) return damaged("is missing");
  if (text === "") return damaged("is empty");
  const name = text.slice(0, -1);
  if (!text.endsWith("\n") || parseFileName(name)?.kind !== "manifest") return damaged("does not hold the name of a manifest");
  return name;
}

/** Undefined when the file is missing. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "latin1");
  } catch (reason) {
    if (isMissing(reason)) return undefined;
    throw reason;
  }
}

export function isMissing(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && reason.code === "ENOENT";
}

async function readManifest(folder: string, manifest: string): Promise<Version | readonly Damage[]> {
  const damages: Damage[] = [];
  const damaged = (found: string) => void damages.push({ file: manifest, found });
  const edits = new Edits();
  try {
    await readLog(join(folder, manifest), {
      onDamage: damaged,
      onRecord: (record) => {
        if (damages.length === 0) applyEdit(edits, record, damaged);
      },
    });
  } catch (reason) {
    if (!isMissing(reason)) throw reason;
    return [{ file: manifest, found: "is missing, and CURRENT names it" }];
  }
  if (damages.length > 0) return damages;
  const { tables, named, logNumber, previousLogNumber, lastSequence } = edits;
  if (logNumber === undefined || !edits.hasNextFile || lastSequence === undefined) return [{ file: manifest, found: "is empty or cut off" }];
  return { manifest, tables, named, logNumber, previousLogNumber, lastSequence };
}

class Edits {
  readonly tables = new Map<number, TableEntry>();
  readonly named = new Set<number>();
  logNumber: number | undefined;
  previousLogNumber = 0;
  hasNextFile = false;
  lastSequence: number | undefined;
}

function applyEdit(edits: Edits, record: Uint8Array, damaged: (found: string) => void): void {
  try {
    const reader = new ByteReader(record);
    while (!reader.isAtEnd) applyField(edits, reader);
  } catch (reason) {
    if (!(reason instanceof Unreadable)) throw reason;
    damaged(`has a record that ${reason.message}`);
  }
}

/** The numbers are LevelDB's: `VersionEdit` in db/version_edit.cc. */
function applyField(edits: Edits, reader: ByteReader): void {
  const tag = reader.varint();
  switch (tag) {
    case 1: // The name of the comparator.
      reader.lengthPrefixed();
      break;
    case 2:
      edits.logNumber = reader.varint();
      break;
    case 3:
      reader.varint();
      edits.hasNextFile = true;
      break;
    case 4:
      edits.lastSequence = reader.varint();
      break;
    case 5: // Where the next compaction of a level begins.
      reader.varint();
      reader.lengthPrefixed();
      break;
    case 6:
      reader.varint();
      edits.tables.delete(reader.varint());
      break;
    case 7:
      addTable(edits, reader);
      break;
    case 9:
      edits.previousLogNumber = reader.varint();
      break;
    default:
      throw new Unreadable(`has a field of unknown kind ${tag}`);
  }
}

function addTable(edits: Edits, reader: ByteReader): void {
  const level = reader.varint();
  const number = reader.varint();
  const bytes = reader.varint();
  // The smallest and the largest key.
  reader.lengthPrefixed();
  reader.lengthPrefixed();
  edits.tables.set(number, { number, bytes, level });
  edits.named.add(number);
}
