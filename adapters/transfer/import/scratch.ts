// The scratch folder of an import: where it is, whether it has room, and whether a finished analysis lies in it.

import { createHash } from "node:crypto";
import { open, readFile, rename, rm, rmdir, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { QuernError } from "../../../core/storage.ts";
import { makeFolder } from "../../storage-kit/index.ts";

/** Bytes of scratch for each byte of an export, and for each byte of a compressed one. Measured, with room to spare. */
const growth = { plain: 3, compressed: 30 } as const;

export interface SourceSize {
  readonly path: string;
  readonly bytes: number;
}

/** Bytes that the scratch files of an import take at most, roughly. */
export function scratchBytes(files: readonly SourceSize[]): number {
  return files.reduce((sum, { path, bytes }) => sum + bytes * (path.endsWith(".gz") ? growth.compressed : growth.plain), 1 << 20);
}

/** Makes the folder. Errors: `STORE_UNAVAILABLE` when it cannot be made or its disk has less room than `bytes`. */
export async function makeScratch(folder: string, bytes: number): Promise<void> {
  try {
    await makeFolder(folder);
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= bytes) return;
    // A folder with files of an earlier run stays.
    await rmdir(folder).catch(() => undefined);
    throw new QuernError(
      "STORE_UNAVAILABLE",
      `The import needs up to ${megabytes(bytes)} MB in ${folder}, and its disk has ${megabytes(bavail * bsize)} MB left.`,
      {
        hint: "Name a folder on another disk with --scratch.",
      },
    );
  } catch (cause) {
    if (cause instanceof QuernError) throw cause;
    throw new QuernError("STORE_UNAVAILABLE", `The scratch folder ${folder} cannot be made; name another with --scratch.`, { cause });
  }
}

/** Bytes as whole MiB, rounded up, for messages. */
export function megabytes(bytes: number): string {
  return Math.ceil(bytes / 2 ** 20).toLocaleString("en");
}

/** Identifies what is imported: names, sizes and beginnings of the files, the schema, and what was asked. */
export async function fingerprintOf(files: readonly SourceSize[], ...more: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const { path, bytes } of files) {
    hash.update(`${bytes} `).update(await beginningOf(path));
  }
  for (const each of more) hash.update("\0").update(each);
  return hash.digest("hex");
}

async function beginningOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1 << 16), 0, 1 << 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const doneFile = "analysis.json";

/** What a finished analysis noted; undefined: there is none of this fingerprint. */
export async function readAnalysis(folder: string, fingerprint: string): Promise<unknown> {
  try {
    const { fingerprint: found, analysis } = JSON.parse(await readFile(join(folder, doneFile), "utf8"));
    return found === fingerprint ? analysis : undefined;
  } catch {
    return undefined;
  }
}

export async function noteAnalysis(folder: string, fingerprint: string, analysis: unknown): Promise<void> {
  const draft = join(folder, `${doneFile}.draft`);
  await writeFile(draft, JSON.stringify({ fingerprint, analysis }));
  await rename(draft, join(folder, doneFile));
}

/** Removes the scratch folder of an import. */
export async function removeScratch(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
