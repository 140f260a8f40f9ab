// Replaces the files of a store by those of another one. A crash at any step leaves the old store or the new one, each as a whole.
//
// The new files lie in a folder inside that of the store, so that they move by renaming. Until the journal is there, the old store is the store. From
// then on each opening moves first the old files out and then the new ones in, and the journal says which of the two it is doing.

import { access, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { QuernError } from "../../../core/storage.ts";
import { makeFolder, syncFolder, writeDurably } from "../../storage-kit/index.ts";
import { forgetClosedFiles } from "./closed-files.ts";
import { forgetDurableNote } from "./durable-note.ts";
import { parseFileName } from "./file-names.ts";
import { forgetHeldTables } from "./held-tables.ts";
import { isMissing } from "./manifest.ts";

const journalFile = "replacement.json";
const incoming = "incoming-";
const replaced = "replaced-";

interface Journal {
  /** Names of folders inside that of the store: the new files, and where the old ones go. */
  readonly from: string;
  readonly to: string;
  /** While `out`, all files beside the journal are old ones; while `in`, they are new ones. */
  readonly step: "out" | "in";
}

/** The place for new files inside the folder of a store. It is not made. @param name unique in the folder */
export function incomingFolder(folder: string, name: string): string {
  return join(folder, `${incoming}${name}`);
}

/** The place for the files of before. */
export function replacedFolder(folder: string, name: string): string {
  return join(folder, `${replaced}${name}`);
}

/**
 * From now on, the next opening replaces the files. With the `to` of an earlier call as `from` it undoes that one, however far openings have come with it.
 *
 * @param from inside `folder`, complete and on the disk
 * @param to a folder that is not there
 * @throws QuernError `STORE_UNAVAILABLE` while another replacement is not finished
 */
export async function announceReplacement(folder: string, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  const pending = await readJournal(folder);
  const next: Journal = { from: nameIn(folder, from), to: nameIn(folder, to), step: "out" };
  if (pending === undefined) return await writeJournal(folder, next);
  if (pending.to !== next.from) throw beingReplaced();
  if (pending.step === "in") return await writeJournal(folder, next);
  // No new file has come yet, and some of the old ones have gone: they come back.
  if (await exists(from)) await writeJournal(folder, { ...next, step: "in" });
  else await rm(join(folder, journalFile));
}

function beingReplaced(): QuernError {
  return new QuernError("STORE_UNAVAILABLE", "the files of the store are being replaced already", {
    hint: "The next opening of the store finishes it.",
  });
}

function nameIn(folder: string, path: string): string {
  return path.slice(folder.length + 1);
}

async function writeJournal(folder: string, journal: Journal): Promise<void> {
  await writeDurably(join(folder, journalFile), JSON.stringify(journal));
}

/** Whether files of both stores may lie side by side until the next opening. */
export async function isBeingReplaced(folder: string): Promise<boolean> {
  return (await readJournal(folder)) !== undefined;
}

async function readJournal(folder: string): Promise<Journal | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, journalFile), "utf8"));
  } catch (reason) {
    if (isMissing(reason)) return undefined;
    throw reason;
  }
}

/** Does what the journal says, if there is one. The store is guarded, and not open. Then removes what no journal names: files that came in vain. */
export async function finishReplacement(folder: string): Promise<void> {
  const journal = await readJournal(folder);
  if (journal !== undefined) await replace(folder, journal);
  for (const name of await readdir(folder)) {
    // A restore copies to a draft of this name first.
    if (name.startsWith(incoming) || name.startsWith(`.${incoming}`)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function replace(folder: string, { from, to, step }: Journal): Promise<void> {
  if (step === "out") {
    // Somebody has removed the new files: the store stays as it is.
    if (!(await exists(join(folder, from, "CURRENT")))) return await rm(join(folder, journalFile));
    await makeFolder(join(folder, to));
    await moveFiles(folder, join(folder, to));
    await writeJournal(folder, { from, to, step: "in" });
  }
  // They speak of the old files, whose names the new ones may have.
  await forgetClosedFiles(folder);
  await forgetDurableNote(folder);
  await forgetHeldTables(folder);
  await moveFiles(join(folder, from), folder);
  await rm(join(folder, journalFile));
  await syncFolder(folder);
  // One store of before is kept, so that the disk does not fill.
  const names = (await readdir(folder)).filter((name) => name.startsWith(replaced) && name !== to);
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
}

async function moveFiles(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).filter((name) => parseFileName(name) !== undefined);
  for (const name of names) await rename(join(from, name), join(to, name));
  await syncFolder(to);
  await syncFolder(from);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
