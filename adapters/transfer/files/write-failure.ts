// Turns failures of the file system into one clear sentence.

import { QuernError } from "../../../core/storage.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the disk is read-only",
  ENOENT: "no folder can be made there",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "a file of this name is there",
};

/** `STORE_UNAVAILABLE` for a failure of the file system; other errors as they are. @param what such as "The export /srv/out" */
export function writeFailure(what: string, cause: unknown): unknown {
  const reason = reasons[codeOf(cause)];
  return reason === undefined || cause instanceof QuernError
    ? cause
    : new QuernError("STORE_UNAVAILABLE", `${what} cannot be written: ${reason}.`, { cause });
}

/** The operating system's code of an error; empty: none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
