// A LevelDB store with several tables and a log, and what specs of damage do to its files.

import { createHash } from "node:crypto";
import { cp, open, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LevelStore } from "../../../adapters/level/level-store.ts";
import { temporaryFolder } from "./folders.ts";

const rounds = 3;
const keysEachRound = 1_500;

export const keyAt = (i: number) => `n/${String(i).padStart(6, "0")}`;
export const storedKeys = rounds * keysEachRound;

/** Each opening turns the log of the one before into a table: two tables of several blocks, one of them with a long index, and a log. */
export async function makeStore(): Promise<string> {
  const path = await temporaryFolder();
  for (let round = 0; round < rounds; round++) {
    const store = new LevelStore(path, { blockCacheBytes: 1 << 20 });
    await store.open();
    for (let i = 0; i < keysEachRound; i += 100) await store.batch(batchOf(round * keysEachRound + i), { sync: true });
    await store.close();
  }
  return path;
}

function batchOf(first: number) {
  return Array.from({ length: 100 }, (_, i) => ({ type: "put" as const, key: keyAt(first + i), value: valueAt(first + i) }));
}

/** Half of it packs well, so that blocks are stored both compressed and as they are. */
export function valueAt(i: number): Uint8Array {
  const digest = createHash("sha256").update(String(i)).digest();
  return i % 2 === 0 ? Buffer.concat([digest, digest, digest]) : Buffer.from(`value ${i} `.repeat(10));
}

/** The same folder again, to be damaged. */
export async function copyOf(path: string): Promise<string> {
  const copy = await temporaryFolder();
  await cp(path, copy, { recursive: true });
  return copy;
}

/** Names that a pattern fits, in order. */
export async function filesIn(path: string, pattern: RegExp): Promise<string[]> {
  return (await readdir(path)).filter((name) => pattern.test(name)).sort();
}

export async function fileIn(path: string, pattern: RegExp): Promise<string> {
  const name = (await filesIn(path, pattern))[0];
  if (name === undefined) throw new Error(`no file of ${path} fits ${pattern}`);
  return name;
}

/** Names and contents of every file, those of folders in it included. */
export async function contentsOf(path: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const digests = files.sort().map(
    async (file) =>
      [
        file,
        createHash("sha256")
          .update(await readFile(file))
          .digest("hex"),
      ] as const,
  );
  return Object.fromEntries(await Promise.all(digests));
}

export async function flipBit(file: string, bit: number): Promise<void> {
  const bytes = await readFile(file);
  const at = Math.floor(bit / 8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
  await writeFile(file, bytes);
}

export async function zero(file: string, from: number, bytes: number): Promise<void> {
  const handle = await open(file, "r+");
  await handle.write(new Uint8Array(bytes), 0, bytes, from);
  await handle.close();
}

export async function cutTo(file: string, bytes: number): Promise<void> {
  await truncate(file, bytes);
}
