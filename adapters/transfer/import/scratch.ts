// The scratch folder of an import: where it is, whether it has room, and whether a finished analysis lies in it.

import { createHash } from "node:crypto";
import { access, open, readFile, rename, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../../core/plugin.ts";
import { QuernError } from "../../../core/storage.ts";
import { makeFolder } from "../../storage-kit/index.ts";
import { type FileOwner, isOtherAlive, thisProcess } from "../files/file-owner.ts";

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

/**
 * Makes the folder for this process alone. Errors: `STORE_UNAVAILABLE` when it cannot be made or its disk has less room than `bytes`, `CONFIG_INVALID`
 * while another process imports there.
 */
export async function makeScratch(folder: string, bytes: number): Promise<void> {
  try {
    await makeFolder(folder);
    await takeFolder(folder);
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= bytes) return;
    await removeUnfinishedScratch(folder);
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

const ownerFile = "owner.json";

async function takeFolder(folder: string): Promise<void> {
  const path = join(folder, ownerFile);
  const text = JSON.stringify(thisProcess());
  const isFirst = await writeFile(path, text, { flag: "wx" }).then(
    () => true,
    () => false,
  );
  if (isFirst) return;
  const owner = parsedOwner(await readFile(path, "utf8"));
  if (owner !== undefined && isOtherAlive(owner)) {
    throw new QuernError("CONFIG_INVALID", `The process ${owner.pid} imports with the scratch folder ${folder}; let it finish first.`, {
      hint: `If that process imports nothing, remove ${path}.`,
    });
  }
  await writeFile(path, text);
}

/** Undefined for a file that a killed process has left half written. */
function parsedOwner(text: string): FileOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.pid === "number" && typeof value.host === "string" ? { pid: value.pid, host: value.host } : undefined;
  } catch {
    return undefined;
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

/** Removes the scratch folder of an import that has failed, unless its repetition can use the finished analysis. */
export async function removeUnfinishedScratch(folder: string): Promise<void> {
  await access(join(folder, doneFile)).catch(() => removeScratch(folder));
}
