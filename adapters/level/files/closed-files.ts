// Notes the sizes of manifest and logs when a store is closed. A log that lost its end, or all of it, looks like one that was never written:
// only this note knows better. After a kill there is none for the files of that time, and LevelDB's own rules alone apply.

import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Damage } from "./damage.ts";
import { parseFileName } from "./file-names.ts";
import { isMissing } from "./manifest.ts";

/** Where the note is, in the folder of the store. */
const noteFile = join("guard", "closed.json");

type Sizes = Readonly<Record<string, number>>;

/** The store is closed and still guarded. A note that cannot be written is left out: it only helps to find damage. */
export async function noteClosedFiles(folder: string): Promise<void> {
  try {
    const names = (await readdir(folder)).filter(isNoted);
    const sizes = await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).size] as const));
    await writeFile(join(folder, noteFile), JSON.stringify(Object.fromEntries(sizes)));
  } catch {
    return;
  }
}

/** The files will be others. */
export async function forgetClosedFiles(folder: string): Promise<void> {
  await rm(join(folder, noteFile), { force: true });
}

function isNoted(name: string): boolean {
  const kind = parseFileName(name)?.kind;
  return kind === "manifest" || kind === "log";
}

/**
 * Files that differ from the note. Each opening begins a new manifest: a note of another one is out of date and says nothing.
 *
 * @param known damage that was found already; such files are left out
 */
export async function checkClosedFiles(folder: string, manifest: string, known: readonly Damage[]): Promise<readonly Damage[]> {
  const noted = await readNote(folder);
  if (noted[manifest] === undefined) return [];
  const damages = await Promise.all(Object.entries(noted).map(([file, bytes]) => checkSize(folder, file, bytes)));
  return damages.flat().filter(({ file }) => !known.some((each) => each.file === file));
}

async function readNote(folder: string): Promise<Sizes> {
  try {
    const note: unknown = JSON.parse(await readFile(join(folder, noteFile), "utf8"));
    if (typeof note !== "object" || note === null) return {};
    return Object.fromEntries(Object.entries(note).filter(([name, bytes]) => isNoted(name) && Number.isSafeInteger(bytes)));
  } catch {
    return {};
  }
}

async function checkSize(folder: string, file: string, bytes: number): Promise<readonly Damage[]> {
  try {
    const { size } = await stat(join(folder, file));
    if (size === bytes) return [];
    return [{ file, found: size === 0 ? "is empty" : `has ${size} bytes, and ${bytes} when the store was closed` }];
  } catch (reason) {
    if (!isMissing(reason)) throw reason;
    return [{ file, found: "is missing" }];
  }
}
