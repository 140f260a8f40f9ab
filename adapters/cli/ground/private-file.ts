// Reads and writes files that only the current user may access.

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { dirname, join } from "node:path";
import { QuernError } from "../../../core/index.ts";
import { codeOf } from "./read-file.ts";

/** Path of Quern's state folder of the current user. Does not create it. */
export function stateFolder(): string {
  const { XDG_STATE_HOME = "", LOCALAPPDATA = "" } = process.env;
  if (platform() === "win32" && LOCALAPPDATA !== "") return join(LOCALAPPDATA, "quern");
  return join(XDG_STATE_HOME || join(homedir(), ".local", "state"), "quern");
}

/** Creates the folder with mode 0700 if it does not exist. Errors: `CONFIG_INVALID` if another user owns it or may write to it. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(path);
  if (isOwn(uid) && (mode & 0o022) === 0) return;
  throw new QuernError(
    "CONFIG_INVALID",
    `The folder ${path} belongs to another user, or other users may write to it; remove it, or run: chmod 700 ${path}`,
  );
}

/**
 * The trimmed text of a file; undefined if the file does not exist.
 * Errors: `CONFIG_INVALID` for a symbolic link, a file of another user, and a file that other users may access.
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | noFollow).catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw new QuernError("CONFIG_INVALID", `The file ${path} cannot be read; it must be a regular file of this user, not a symbolic link.`, {
      cause,
    });
  });
  if (file === undefined) return undefined;
  try {
    const { uid, mode } = await file.stat();
    if (!isOwn(uid) || (platform() !== "win32" && (mode & 0o077) !== 0)) {
      throw new QuernError(
        "CONFIG_INVALID",
        `The file ${path} contains a secret, and other users can access it or own it; remove it, or run: chmod 600 ${path}`,
      );
    }
    return (await file.readFile("utf8")).trim();
  } finally {
    await file.close();
  }
}

/** Creates a file with mode 0600. Rejects with `EEXIST` if it exists. */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates or replaces a file atomically. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${randomUUID()}`);
  try {
    await createPrivateFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

const noFollow = constants.O_NOFOLLOW ?? 0;

/** On Windows there is no uid to compare; the folders of a user are private there. */
function isOwn(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}
