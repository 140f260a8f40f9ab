// Files with secrets: for the user who runs this alone.

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { dirname, join } from "node:path";
import { QuernError } from "../../core/index.ts";
import { codeOf } from "./read-file.ts";

/** Where Quern keeps what belongs to the user and to no project. Nothing is made there yet. */
export function stateFolder(): string {
  const { XDG_STATE_HOME = "", LOCALAPPDATA = "" } = process.env;
  if (platform() === "win32" && LOCALAPPDATA !== "") return join(LOCALAPPDATA, "quern");
  return join(XDG_STATE_HOME || join(homedir(), ".local", "state"), "quern");
}

/** Makes the folder, for this user alone, where it is not there. Errors: `CONFIG_INVALID` where others own it or may write to it. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(path);
  if (isOwn(uid) && (mode & 0o022) === 0) return;
  throw new QuernError(
    "CONFIG_INVALID",
    `The folder ${path} belongs to another user, or others may write to it; remove it, or run: chmod 700 ${path}`,
  );
}

/**
 * The text of a file, without blanks at its ends; undefined: there is none.
 * Errors: `CONFIG_INVALID` for a link, a file of another user, and one that others may read.
 */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | noFollow).catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw new QuernError("CONFIG_INVALID", `The file ${path} cannot be read; it must be a file of this user, and no link.`, { cause });
  });
  if (file === undefined) return undefined;
  try {
    const { uid, mode } = await file.stat();
    if (!isOwn(uid) || (platform() !== "win32" && (mode & 0o077) !== 0)) {
      throw new QuernError(
        "CONFIG_INVALID",
        `The file ${path} holds a secret, and other users may read or have written it; remove it, or run: chmod 600 ${path}`,
      );
    }
    return (await file.readFile("utf8")).trim();
  } finally {
    await file.close();
  }
}

/** Writes a file that is not there yet. Rejects with `EEXIST` where it is. */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Writes a file, or puts it in the place of the one that is there, at once. */
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

/** Windows has no such owners; its folders of a user are that user's. */
function isOwn(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}
