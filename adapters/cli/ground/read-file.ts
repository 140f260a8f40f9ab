// Reads the files and folders that a command names, with readable errors.

import { readdir, readFile } from "node:fs/promises";
import { QuernError } from "../../../core/index.ts";
import type { SchemaText } from "./failure.ts";

/** The text of a schema file. Errors: `CONFIG_INVALID`. */
export async function readSchema(path: string): Promise<SchemaText> {
  try {
    return { name: path, text: await readFile(path, "utf8") };
  } catch (error) {
    throw unreadable("schema file", path, error);
  }
}

/** Throws if the folder does not exist, is not readable, or contains no store: opening it would create a new store. */
export async function assertStoreFolder(path: string): Promise<void> {
  await readdir(path).catch((error: unknown) => {
    throw unreadable("data folder", path, error);
  });
  const { holdsStoreFiles } = await import("../../level/index.ts");
  if (!(await holdsStoreFiles(path)))
    throw new QuernError("STORE_UNAVAILABLE", `The folder ${path} contains no store; name the folder that quern start --data uses.`);
}

/** The error for a file or folder that cannot be read: its path, the reason, and the next step. */
export function unreadable(what: string, path: string, cause: unknown): QuernError {
  const reason = reasons[codeOf(cause) ?? ""] ?? `cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`;
  return new QuernError("CONFIG_INVALID", `The ${what} ${path} ${reason}`, { cause });
}

/** The operating system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist; check the path.",
  EISDIR: "is a folder; name a file.",
  ENOTDIR: "is not a folder; name a folder.",
  EACCES: "is not readable by this user; change its permissions or name another.",
  EPERM: "is not readable by this user; change its permissions or name another.",
};
