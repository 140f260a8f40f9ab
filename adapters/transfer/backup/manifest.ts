// The list of the backups in a folder. It is replaced as a whole, so that a killed backup leaves the list of the ones before it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, QuernError } from "../../../core/plugin.ts";
import { writeDurably } from "../../storage-kit/index.ts";
import { codeOf } from "../files/write-failure.ts";

/** One backup, and the files that it consists of. */
export interface Backup {
  /** Shared by a full backup and the incremental ones that follow it. */
  readonly backupId: string;
  /** 1 for the full one, rising. */
  readonly backupNum: number;
  readonly type: "full" | "incremental";
  /** The folder of its own files, in the folder of the backups. */
  readonly path: string;
  /** It holds this commit, and perhaps later ones. */
  readonly commit: string;
  /** When it was complete: RFC 3339. */
  readonly at: string;
  /** `files` of a store, or an `export` that is loaded into a new store. */
  readonly content: "files" | "export";
  readonly files: readonly BackupFile[];
  /** Stored names of fields and links, for administrators. */
  readonly predicates: readonly string[];
}

export interface BackupFile {
  readonly name: string;
  /** The folder of the backup that copied it. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** What identifies a file that never changes. */
  readonly sealed?: string;
}

const manifestFile = "manifest.json";

/** The backups in `folder`, the oldest first; undefined: the folder is not there. */
export async function readManifest(folder: string): Promise<readonly Backup[]> {
  const path = join(folder, manifestFile);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw new QuernError("CONFIG_INVALID", `The list of backups ${path} cannot be read (${codeOf(cause)}).`, { cause });
  });
  if (text === undefined) return [];
  const parsed = parsedManifest(text);
  if (parsed !== undefined) return parsed;
  throw new QuernError("STORE_CORRUPT", `The list of backups ${path} is damaged; restore it from another copy of the folder.`);
}

function parsedManifest(text: string): readonly Backup[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && Array.isArray(value.backups) ? value.backups : undefined;
  } catch {
    return undefined;
  }
}

export async function writeManifest(folder: string, backups: readonly Backup[]): Promise<void> {
  await writeDurably(join(folder, manifestFile), `${JSON.stringify({ version: 1, backups }, null, 1)}\n`);
}

/** The backup that is asked for; by default the newest. */
export function chooseBackup(
  backups: readonly Backup[],
  { backupId, backupNum }: { readonly backupId?: string | undefined; readonly backupNum?: number | undefined },
): Backup {
  const known = backupId === undefined || backupId === "" ? backups : backups.filter((each) => each.backupId === backupId);
  if (known.length === 0)
    throw new QuernError("CONFIG_INVALID", backups.length === 0 ? "There is no backup." : `No backups with the specified backup ID ${backupId}`);
  const series = backupId ? known : known.filter((each) => each.backupId === known.at(-1)?.backupId);
  const found = backupNum === undefined || backupNum === 0 ? series.at(-1) : series.find((each) => each.backupNum === backupNum);
  if (found === undefined)
    throw new QuernError("CONFIG_INVALID", `There is no backup of number ${backupNum}; the newest has number ${series.at(-1)?.backupNum}.`);
  return found;
}
