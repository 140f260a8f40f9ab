// Keeps a folder to one process. LevelDB locks its file LOCK, which people delete when they take it for a left-over: a second process
// would then lock a new file of this name. So a small LevelDB beside the store, in the folder `guard`, is held open as a second lock. Both are locks of
// the operating system: they end with the process, however it ends, and hold between containers that share the folder.

import { type BigIntStats, statSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { isLocked } from "./store-error.ts";

/** A write looks itself; this is for a server that only reads. */
const betweenLooksMs = 1_000;

/** LevelDB's least. Nothing is ever written there. */
const guardOptions = { cacheSize: 0, writeBufferSize: 64 << 10 };

/**
 * Folders that this process has open. A second try is refused before LevelDB sees it: LevelDB opens and closes LOCK to find that out, and
 * closing any descriptor of a file ends the process's lock on it.
 */
const openFolders = new Set<string>();

export class FolderGuard {
  readonly #folder: string;
  readonly #key: string;
  readonly #second: Level;
  #locks: readonly Lock[] = [];
  #timer: NodeJS.Timeout | undefined;

  private constructor(folder: string, key: string, second: Level) {
    this.#folder = folder;
    this.#key = key;
    this.#second = second;
  }

  /**
   * @param folder absolute, and there
   * @throws an error that `isLocked` knows, when this or another process has it open
   */
  static async take(folder: string): Promise<FolderGuard> {
    const { dev, ino } = await stat(folder, { bigint: true });
    const key = `${dev}:${ino}`;
    if (openFolders.has(key)) throw new Error("LEVEL_LOCKED: this process has the folder open");
    openFolders.add(key);
    try {
      return new FolderGuard(folder, key, await openSecond(join(folder, "guard")));
    } catch (reason) {
      openFolders.delete(key);
      throw reason;
    }
  }

  /** Looks now and then whether the locks are still there. The store is open by now. */
  watch(onLost: () => void): void {
    this.#locks = [join(this.#folder, "LOCK"), join(this.#folder, "guard", "LOCK")].map((path) => ({ path, id: idOf(path) }));
    this.#timer = setInterval(() => {
      if (!this.isHeld) onLost();
    }, betweenLooksMs).unref();
  }

  /** False when both locks were deleted or replaced: another process may have the folder open. Either alone keeps others out. */
  get isHeld(): boolean {
    return this.#locks.length === 0 || this.#locks.some(({ path, id }) => id !== undefined && idOf(path) === id);
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    try {
      await this.#second.close();
    } finally {
      openFolders.delete(this.#key);
    }
  }
}

interface Lock {
  readonly path: string;
  readonly id: string | undefined;
}

/** Asks for the file without opening it: closing it again would end the lock. */
function idOf(path: string): string | undefined {
  const found: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** It holds nothing, so that a damaged one is made anew. */
async function openSecond(folder: string): Promise<Level> {
  try {
    return await opened(folder);
  } catch (reason) {
    if (isLocked(reason)) throw reason;
    await clear(folder);
    return await opened(folder);
  }
}

async function opened(folder: string): Promise<Level> {
  const db = new Level(folder);
  await db.open(guardOptions);
  return db;
}

/** All but LOCK, which other processes may hold by now. */
async function clear(folder: string): Promise<void> {
  const files = (await readdir(folder).catch(() => [])).filter((name) => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|sst|log|dbtmp))$/.test(name));
  for (const file of files) await rm(join(folder, file), { force: true, recursive: true });
}
