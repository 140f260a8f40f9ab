// Watches a few files for changes, whether editors write them in place or replace them.
//
// It polls instead of using file system events: these are lost while a file is absent, and most mounts of containers and virtual
// machines deliver none. Polling a few files every 50 ms is cheap.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";

/** A change is reported when two polls in a row see the same state: an editor may truncate the file before it writes. */
const pollMs = 50;

/**
 * Calls `changed` with the path as given, whenever a file differs from its state at the last call, or at the start. A file that appears
 * or returns counts as changed; a file that disappears does not.
 *
 * @returns a function that stops watching
 */
export async function watchFiles(paths: readonly string[], changed: (path: string) => void): Promise<() => void> {
  const watched = await Promise.all(paths.map(watchedFile));
  let stopped = false;
  let timer: NodeJS.Timeout;
  const poll = async () => {
    for (const file of watched) if ((await file.hasChanged()) && !stopped) changed(file.path);
    if (!stopped) wait();
  };
  const wait = () => {
    timer = setTimeout(poll, pollMs);
  };
  wait();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** The state of a file. It differs after the file is written or replaced. */
export interface FileState {
  /** Inode, size and modification time. */
  readonly stat: string;
  /** SHA-256 of the content. */
  readonly hash: string;
  /** Whether any later write changes `stat`. */
  readonly isOld: boolean;
}

/**
 * The resolution of file times is milliseconds on most systems and two seconds on some. A second write of the same size within that
 * resolution changes the content only. So the content is read until the file is older than the coarsest resolution.
 */
const coarsestResolutionMs = 2_500;

/** @param before the last known state: saves reading an old, unchanged file */
export async function fileState(path: string, before?: FileState): Promise<FileState | undefined> {
  try {
    const { ino, size, mtimeNs, mtimeMs } = await stat(path, { bigint: true });
    const seen = `${ino} ${size} ${mtimeNs}`;
    if (before?.isOld && before.stat === seen) return before;
    const isOld = Date.now() - Number(mtimeMs) > coarsestResolutionMs;
    const hash = createHash("sha256").update(await readFile(path));
    return { stat: seen, hash: hash.digest("hex"), isOld };
  } catch {
    return undefined;
  }
}

/** Whether the file did not change between two states. */
export function isSame(one: FileState | undefined, other: FileState | undefined): boolean {
  return one?.stat === other?.stat && one?.hash === other?.hash;
}

async function watchedFile(path: string): Promise<WatchedFile> {
  return new WatchedFile(path, await fileState(path));
}

class WatchedFile {
  readonly path: string;
  #reported: FileState | undefined;
  #seen: FileState | undefined;

  constructor(path: string, state: FileState | undefined) {
    this.path = path;
    this.#reported = state;
    this.#seen = state;
  }

  /** Whether the file differs from the reported state, and is settled: two polls saw the same. */
  async hasChanged(): Promise<boolean> {
    const state = await fileState(this.path, this.#seen);
    const settled = isSame(state, this.#seen);
    this.#seen = state;
    // A file that disappeared is reported when it returns, even unchanged.
    if (state === undefined) this.#reported = undefined;
    if (!settled || isSame(state, this.#reported)) return false;
    this.#reported = state;
    return true;
  }
}
