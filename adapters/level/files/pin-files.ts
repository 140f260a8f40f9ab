// Keeps one state of an open store readable, while LevelDB goes on: hard links of its tables, and copies of the manifest and the logs.
//
// Writes need no pause. Tables never change. Manifest and logs only grow, and a log that is not the newest is complete. So a copy of the
// manifest, its tables, and the logs as long as they are at one moment, are a prefix of the batches. LevelDB deletes files meanwhile: when one is
// missing, the manifest has moved on, and it is read again.

import { copyFile, link, mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PinnedFile, PinnedFiles } from "../../../core/storage.ts";
import { parseFileName, tableName } from "./file-names.ts";
import { isMissing, readVersion, type Version } from "./manifest.ts";

const prefix = "pinned-";
const maxTries = 20;

/** @param folder of an open store */
export async function pinFiles(folder: string): Promise<Omit<PinnedFiles, "commit">> {
  for (let tries = 1; ; tries++) {
    const pin = await mkdtemp(join(folder, prefix));
    const release = () => rm(pin, { recursive: true, force: true });
    try {
      const files = await pinOnce(folder, pin);
      if (files !== undefined) return { files, release };
      if (tries >= maxTries) throw new Error("the files changed at each of many tries to read them");
    } catch (reason) {
      await release();
      if (!isMissing(reason) || tries >= maxTries) throw reason;
      continue;
    }
    await release();
  }
}

/** Removes what a killed process has left. The store is guarded, and not open yet. */
export async function removeOldPins(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
}

/** Undefined when the manifest cannot be read at this moment. */
async function pinOnce(folder: string, pin: string): Promise<readonly PinnedFile[] | undefined> {
  await copyFile(join(folder, "CURRENT"), join(pin, "CURRENT"));
  const names = await readdir(folder);
  for (const name of names.filter((each) => parseFileName(each)?.kind === "manifest")) await copyFile(join(folder, name), join(pin, name));
  const version = await readVersion(pin);
  if (!("manifest" in version)) return undefined;
  const tables = await linkTables(folder, pin, version, names);
  const logs = await copyLogs(folder, pin, version);
  const small = await Promise.all(
    ["CURRENT", version.manifest].map(async (name) => ({ name, path: join(pin, name), bytes: (await stat(join(pin, name))).size })),
  );
  return [...small, ...logs, ...tables];
}

async function linkTables(folder: string, pin: string, { tables }: Version, names: readonly string[]): Promise<readonly PinnedFile[]> {
  const files: PinnedFile[] = [];
  for (const { number, bytes } of tables.values()) {
    const usual = tableName(number);
    const name = names.includes(usual) ? usual : names.includes(usual.replace(/ldb$/, "sst")) ? usual.replace(/ldb$/, "sst") : usual;
    await linkOrCopy(join(folder, name), join(pin, name));
    const { mtimeMs } = await stat(join(pin, name));
    files.push({ name, path: join(pin, name), bytes, sealed: `${name} ${bytes} ${mtimeMs}` });
  }
  return files;
}

/** Some file systems have no hard links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (reason) {
    if (isMissing(reason)) throw reason;
    await copyFile(from, to);
  }
}

/** The logs that the version needs. The newest grows: it is copied as long as it is now. */
async function copyLogs(folder: string, pin: string, { logNumber, previousLogNumber }: Version): Promise<readonly PinnedFile[]> {
  const needed = (await readdir(folder)).flatMap((name) => {
    const parsed = parseFileName(name);
    return parsed?.kind === "log" && (parsed.number >= logNumber || parsed.number === previousLogNumber) ? [{ name, number: parsed.number }] : [];
  });
  needed.sort((a, b) => a.number - b.number);
  if (logNumber > 0 && !needed.some(({ number }) => number === logNumber)) throw Object.assign(new Error("a log is missing"), { code: "ENOENT" });
  const files: PinnedFile[] = [];
  for (const { name } of needed) {
    const path = join(pin, name);
    const bytes = await copyBeginning(join(folder, name), path);
    files.push({ name, path, bytes });
  }
  return files;
}

/** Copies a file as long as it is at the beginning. */
async function copyBeginning(from: string, to: string): Promise<number> {
  const file = await open(from);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(size);
    let read = 0;
    while (read < size) {
      const { bytesRead } = await file.read(bytes, read, size - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    await writeFile(to, bytes.subarray(0, read));
    return read;
  } finally {
    await file.close();
  }
}
