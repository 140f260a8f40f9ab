// Reads what a command was pointed at, and says plainly why it cannot.

import { readdir, readFile } from "node:fs/promises";
import { QuernError } from "../../core/index.ts";
import { holdsStoreFiles } from "../level/index.ts";
import type { SchemaText } from "./failure.ts";

/** The text of a schema file. */
export async function readSchema(path: string): Promise<SchemaText> {
  try {
    return { name: path, text: await readFile(path, "utf8") };
  } catch (error) {
    throw unreadable("schema file", path, error);
  }
}

/** Refuses a folder that is not there, not readable, or holds no store: looking must not make a new one. */
export async function assertStoreFolder(path: string): Promise<void> {
  await readdir(path).catch((error: unknown) => {
    throw unreadable("data folder", path, error);
  });
  if (!(await holdsStoreFiles(path)))
    throw new QuernError("STORE_UNAVAILABLE", `The folder ${path} holds no store; name the folder that was given to quern start --data.`);
}

/** One sentence for a file or folder that cannot be read: which, why, and what to do. */
export function unreadable(what: string, path: string, cause: unknown): QuernError {
  const reason = reasons[codeOf(cause) ?? ""] ?? `cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`;
  return new QuernError("CONFIG_INVALID", `The ${what} ${path} ${reason}`, { cause });
}

/** The operating system's code of an error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist; check the path.",
  EISDIR: "is a folder; name a file in it.",
  ENOTDIR: "is not a folder; name one.",
  EACCES: "may not be read by this user; change its permissions or name another.",
  EPERM: "may not be read by this user; change its permissions or name another.",
};
