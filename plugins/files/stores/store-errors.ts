// What stores throw.

import { QuernError } from "../../../core/plugin.ts";

export function missingFile(key: string): never {
  throw new QuernError("NOT_FOUND", `The store of files has nothing under the key ${key}.`, {
    hint: "Operators: `quern check --files` lists files whose bytes are missing; restore them from a backup.",
  });
}

/** @throws whatever `thrown` is, with the code of a store that cannot be used where it is an error of the system */
export function storeFailed(store: string, thrown: unknown): never {
  if (thrown instanceof QuernError || !isSystemError(thrown)) throw thrown;
  const reason = reasons[thrown.code ?? ""] ?? `it reports ${thrown.code}`;
  throw new QuernError("STORE_UNAVAILABLE", `The store of files (${store}) cannot be used: ${reason}. Nothing of the file was kept.`, {
    cause: thrown,
    hint:
      thrown.code === "ENOSPC" || thrown.code === "EDQUOT"
        ? "Operators: free some space, then send the file again."
        : "Operators: see the cause in the log.",
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the disk is read-only",
  EIO: "the disk has failed",
  ENOTDIR: "its path is no folder",
  EMFILE: "this process has too many open files",
};

function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string";
}
