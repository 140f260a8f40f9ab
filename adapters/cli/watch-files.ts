// Tells of changes of a few files, however editors write them: in place, or by putting another file in their place.
//
// It looks again and again rather than waiting for the system's events: those are lost while a file is away, and do not
// come at all through most mounts of containers and virtual machines. Two looks at a file in a tenth of a second cost nothing.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";

/** A change is told once the file looked the same twice, this far apart: an editor may empty it before it writes. */
const lookMs = 50;

/**
 * Calls `changed` with the path as given, for whatever differs from how the files are when this returns; also when a file that was
 * not there appears, or one that was away is back. A file that goes away is not told of.
 *
 * @returns how to stop
 */
export async function watchFiles(paths: readonly string[], changed: (path: string) => void): Promise<() => void> {
  const watched = await Promise.all(paths.map(watchedFile));
  let stopped = false;
  let timer: NodeJS.Timeout;
  const look = async () => {
    for (const file of watched) if ((await file.hasChanged()) && !stopped) changed(file.path);
    if (!stopped) wait();
  };
  const wait = () => {
    timer = setTimeout(look, lookMs);
  };
  wait();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** How a file is: its state differs once it was written or replaced. */
export interface FileState {
  /** Of the file and its times. */
  readonly stat: string;
  /** Of its content. */
  readonly hash: string;
  /** A later write would give it other times. */
  readonly isOld: boolean;
}

/**
 * Times of files go by ticks: milliseconds on most systems, two seconds on some. Who writes again within a tick, as much as before,
 * shows in the content alone; so that is looked at too, until the file is older than any tick.
 */
const longestTickMs = 2_500;

/** @param before what was seen of it last: saves reading what is old and the same */
export async function fileState(path: string, before?: FileState): Promise<FileState | undefined> {
  try {
    const { ino, size, mtimeNs, mtimeMs } = await stat(path, { bigint: true });
    const seen = `${ino} ${size} ${mtimeNs}`;
    if (before?.isOld && before.stat === seen) return before;
    const isOld = Date.now() - Number(mtimeMs) > longestTickMs;
    const hash = createHash("sha256").update(await readFile(path));
    return { stat: seen, hash: hash.digest("hex"), isOld };
  } catch {
    return undefined;
  }
}

/** Two looks, and nothing has happened between them. */
export function isSame(one: FileState | undefined, other: FileState | undefined): boolean {
  return one?.stat === other?.stat && one?.hash === other?.hash;
}

async function watchedFile(path: string): Promise<WatchedFile> {
  return new WatchedFile(path, await fileState(path));
}

class WatchedFile {
  readonly path: string;
  #told: FileState | undefined;
  #seen: FileState | undefined;

  constructor(path: string, state: FileState | undefined) {
    this.path = path;
    this.#told = state;
    this.#seen = state;
  }

  /** Whether it is other than was told, and settled: the same as when it was looked at last. */
  async hasChanged(): Promise<boolean> {
    const state = await fileState(this.path, this.#seen);
    const settled = isSame(state, this.#seen);
    this.#seen = state;
    // Whoever was told and found no file is told again when it is back as it was.
    if (state === undefined) this.#told = undefined;
    if (!settled || isSame(state, this.#told)) return false;
    this.#told = state;
    return true;
  }
}
