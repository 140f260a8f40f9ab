// Checks the files of backups against their checksums.

import { join } from "node:path";
import { codeOf } from "../files/write-failure.ts";
import { copyFile } from "./copy-file.ts";
import type { Backup, BackupFile } from "./manifest.ts";

/** A file of a backup that is missing or damaged. */
export interface BackupFault {
  readonly file: string;
  readonly message: string;
}

export interface VerifyBackupOptions {
  readonly progress?: (step: { readonly done: number; readonly total: number }) => void;
}

/** Reads each file once, even when several backups share it. Empty: all files are as they were written. */
export async function verifyBackups(
  folder: string,
  backups: readonly Backup[],
  { progress }: VerifyBackupOptions = {},
): Promise<readonly BackupFault[]> {
  const files = new Map(backups.flatMap((backup) => backup.files.map((file) => [join(file.path, file.name), file] as const)));
  const total = [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const faults: BackupFault[] = [];
  let done = 0;
  for (const [path, file] of files) {
    const message = await faultOf(join(folder, path), file);
    if (message !== undefined) faults.push({ file: path, message });
    done += file.bytes;
    progress?.({ done, total });
  }
  return faults;
}

/** What is wrong with a file; undefined: nothing. */
async function faultOf(path: string, { bytes, sha256 }: BackupFile): Promise<string | undefined> {
  try {
    const found = await copyFile(path, undefined);
    if (found.bytes !== bytes) return `has ${found.bytes} bytes, and ${bytes} were written`;
    return found.sha256 === sha256 ? undefined : "does not match its checksum";
  } catch (reason) {
    return codeOf(reason) === "ENOENT" ? "is missing" : `cannot be read (${codeOf(reason)})`;
  }
}
