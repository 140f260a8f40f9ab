// Copies the files of a backup to a new folder, and checks each on the way.

import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { QuernError } from "../../../core/storage.ts";
import { makeFolder, syncFolder } from "../../storage-kit/index.ts";
import { codeOf, writeFailure } from "../files/write-failure.ts";
import { copyFile } from "./copy-file.ts";
import type { Backup } from "./manifest.ts";

/** Which backup is restored, and where to. */
export interface RestoreRequest {
  /** The folder of the backups. */
  readonly folder: string;
  readonly backup: Backup;
  /** The new folder. When it is there, it must be empty. */
  readonly target: string;
  readonly progress?: (step: { readonly done: number; readonly total: number }) => void;
  /** Ends the restore with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * The folder appears when all files are in it and match their checksums.
 *
 * @throws QuernError `STORE_CORRUPT` when the backup is damaged
 */
export async function restoreBackup({ folder, backup, target, progress, signal }: RestoreRequest): Promise<void> {
  const draft = join(dirname(target), `.${basename(target)}.partial`);
  try {
    await assertFree(target);
    await rm(draft, { recursive: true, force: true });
    await makeFolder(draft);
    const total = backup.files.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    for (const { name, path, bytes, sha256 } of backup.files) {
      const from = join(folder, path, name);
      const found = await copyFile(from, join(draft, name), { signal }).catch((cause: unknown) => {
        throw codeOf(cause) === "ENOENT" ? damaged(from, "is missing") : cause;
      });
      if (found.sha256 !== sha256 || found.bytes !== bytes) throw damaged(from, "does not match its checksum");
      done += bytes;
      progress?.({ done, total });
    }
    await syncFolder(draft);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
    await syncFolder(dirname(target));
  } catch (cause) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw writeFailure(`The folder ${target}`, cause);
  }
}

async function assertFree(target: string): Promise<void> {
  const names = await readdir(target).catch((reason: unknown) => {
    if (codeOf(reason) === "ENOENT") return [];
    throw reason;
  });
  if (names.length > 0) throw new QuernError("CONFIG_INVALID", `The folder ${target} is not empty; a backup is restored to a new folder.`);
}

function damaged(file: string, found: string): QuernError {
  return new QuernError("STORE_CORRUPT", `The backup is damaged: ${file} ${found}. Nothing was restored.`, {
    hint: "Restore an earlier backup, or run: quern backup verify",
  });
}
