// A store in a folder that can only be read, as a folder that LevelDB can open: opening a store writes, even when nothing is changed. Tables are
// symbolic links; manifest and logs, which opening replaces, are copies.

import { access, constants, copyFile, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseFileName } from "./file-names.ts";

/** The files of a store in a temporary folder. */
export interface BorrowedFiles {
  readonly path: string;
  release(): Promise<void>;
}

/** The files of a store that no process has open, in a temporary folder; undefined: this process may write to the folder of the store. */
export async function borrowedFiles(folder: string): Promise<BorrowedFiles | undefined> {
  if (await isWritable(folder)) return undefined;
  const path = await mkdtemp(join(tmpdir(), "quern-read-only-"));
  const release = () => rm(path, { recursive: true, force: true });
  try {
    for (const name of await readdir(folder)) await borrow(resolve(folder, name), join(path, name), parseFileName(name)?.kind);
    return { path, release };
  } catch (reason) {
    await release();
    throw reason;
  }
}

async function isWritable(folder: string): Promise<boolean> {
  return await access(folder, constants.W_OK).then(
    () => true,
    (reason: unknown) => !isReadOnly(reason),
  );
}

function isReadOnly(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && ["EACCES", "EROFS", "EPERM"].includes(String(reason.code));
}

async function borrow(from: string, to: string, kind: string | undefined): Promise<void> {
  if (kind === undefined) return;
  if (kind !== "table") return await copyFile(from, to);
  // Not every system lets everybody make links.
  await symlink(from, to).catch(() => copyFile(from, to));
}
