// What went wrong in LevelDB, as one sentence with the way out.

import { QuernError } from "../../core/storage.ts";
import { type Damage, damageText } from "./files/damage.ts";
import { isHeldTable } from "./files/held-tables.ts";

export function storeError(path: string, cause: unknown): QuernError {
  if (cause instanceof QuernError) return cause;
  const text = textOf(cause);
  if (isLocked(cause)) {
    return new QuernError("STORE_LOCKED", `the data folder ${path} is in use by another process`, {
      cause,
      details: { reason: "another process uses the data folder" },
      hint: "Stop that process, or give this one another folder.",
    });
  }
  if (isCorrupt(cause)) {
    return new QuernError("STORE_CORRUPT", `files in the data folder ${path} are damaged`, {
      cause,
      details: damagedDetails,
      hint: `Find out which with: quern check --data ${path}. Then restore a backup of the folder.`,
    });
  }
  const reason = reasonOf(text);
  return new QuernError("STORE_UNAVAILABLE", `the data folder ${path} cannot be opened: ${reason}`, {
    cause,
    // For those who must not learn the path.
    details: { reason },
    hint: "Check that it is a folder that this user may read and write, and that the disk has room.",
  });
}

/** Damage that was found before LevelDB opened the store. */
export function damageError(path: string, damages: readonly Damage[]): QuernError {
  const shown = damages.slice(0, shownDamages).map(damageText);
  const more = damages.length > shownDamages ? [`and ${damages.length - shownDamages} more`] : [];
  return new QuernError("STORE_CORRUPT", `the store in the data folder ${path} is damaged: ${[...shown, ...more].join("; ")}`, {
    details: damagedDetails,
    hint: [
      "Nothing was changed.",
      ...(damages.some(({ file }) => file === "CURRENT") ? [currentHint] : []),
      ...(damages.some(({ file }) => isHeldTable(file)) ? [heldHint] : []),
      `Restore a backup of the folder. To verify every file, run: quern check --data ${path}`,
    ].join(" "),
  });
}

const shownDamages = 3;
const currentHint =
  "CURRENT holds one line, the name of the newest file MANIFEST-…; the store is whole again when only this file was lost and you write it back.";

const heldHint =
  "LevelDB has merged the table in the folder held into others, which may lack entries or hold earlier ones. To go on with what is left, remove that file and run quern check --repair.";

/** What reading met. Names no place: clients read it. */
export function readError(cause: unknown): unknown {
  if (!isCorrupt(cause)) return cause;
  return new QuernError("STORE_CORRUPT", corruptText, { cause, hint: corruptHint });
}

/** Damage that was found while the store is served. Names no place: clients read it; the cause does, for the log. */
export function servedDamageError(path: string, damages: readonly Damage[]): QuernError {
  return new QuernError("STORE_CORRUPT", corruptText, { cause: damageError(path, damages), hint: corruptHint });
}

const corruptText = "files of the store are damaged";
const damagedDetails = { reason: corruptText };
const corruptHint = "Stop the server, find the damaged files with quern check, and restore a backup of the data folder.";

/** Names no place: clients read it. */
export function lostLockError(): QuernError {
  return new QuernError("STORE_UNAVAILABLE", "the lock files of the store were deleted, so that another process may write to it", {
    hint: "Leave LOCK and the folder guard in the data folder alone; they need no cleaning up. See that one process alone uses the folder.",
  });
}

/** Names no place: clients read it. */
export function writeError(cause: unknown): QuernError {
  if (cause instanceof QuernError) return cause;
  if (isCorrupt(cause)) return new QuernError("STORE_CORRUPT", corruptText, { cause, hint: corruptHint });
  return new QuernError("STORE_UNAVAILABLE", reasonOf(textOf(cause)), { cause });
}

export function isLocked(cause: unknown): boolean {
  return /LEVEL_LOCKED|already held|LOCK: Resource/i.test(textOf(cause));
}

function isCorrupt(cause: unknown): boolean {
  return /LEVEL_CORRUPTION|corruption|not an sstable|checksum/i.test(textOf(cause));
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
  if (/EDQUOT|quota exceeded/i.test(text)) return "the quota of the disk is used up";
  if (/EMFILE|ENFILE|too many open files/i.test(text)) return "too many open files";
  if (/EIO\b|input\/output error/i.test(text)) return "input/output error";
  if (/EROFS|read-only/i.test(text)) return "it can only be read";
  return "the system refuses";
}
