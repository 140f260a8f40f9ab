// What went wrong in LevelDB, as one sentence with the way out.

import { QuernError } from "../../core/index.ts";

export function storeError(path: string, cause: unknown): QuernError {
  const text = textOf(cause);
  if (text.includes("LEVEL_LOCKED") || /already held|LOCK: Resource/i.test(text)) {
    return new QuernError("STORE_LOCKED", `the data folder ${path} is in use by another process`, {
      cause,
      hint: "Stop that process, or give this one another folder.",
    });
  }
  if (text.includes("LEVEL_CORRUPTION") || /corruption|not an sstable|checksum/i.test(text)) {
    return new QuernError("STORE_CORRUPT", `files in the data folder ${path} are damaged`, { cause, hint: "Restore a backup of the folder." });
  }
  return new QuernError("STORE_UNAVAILABLE", `the data folder ${path} cannot be opened: ${reasonOf(text)}`, {
    cause,
    hint: "Check that it is a folder that this user may read and write, and that the disk has room.",
  });
}

/** Names no place: clients read it. */
export function writeError(cause: unknown): QuernError {
  return new QuernError("STORE_UNAVAILABLE", reasonOf(textOf(cause)), { cause });
}

function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? String(cause.code) : "";
  return `${code} ${cause.message}${cause.cause === undefined ? "" : ` ${textOf(cause.cause)}`}`;
}

function reasonOf(text: string): string {
  if (/EACCES|permission denied/i.test(text)) return "permission denied";
  if (/ENOTDIR|not a directory|EEXIST/i.test(text)) return "it is not a folder";
  if (/ENOSPC|no space/i.test(text)) return "the disk is full";
  if (/EROFS|read-only/i.test(text)) return "it can only be read";
  return "the system refuses";
}
