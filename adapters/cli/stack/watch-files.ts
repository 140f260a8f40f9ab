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
 */
export class FileWatcher {
  readonly #changed: (path: string) => void;
  #files: ReadonlyMap<string, WatchedFile> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(changed: (path: string) => void) {
    this.#changed = changed;
  }

  /** Watches these files from now on, and no others. A file that is watched already keeps its state: no change of it is lost. */
  async watch(paths: readonly string[]): Promise<void> {
    const files = await Promise.all(paths.map(async (path) => this.#files.get(path) ?? new WatchedFile(path, await fileState(path))));
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#timer ??= setTimeout(() => this.#poll(), pollMs);
  }

  /** No file counts as changed any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    for (const file of this.#files.values()) {
      const hasChanged = await file.hasChanged();
      if (this.#isStopped) return;
      if (hasChanged) this.#changed(file.path);
    }
    this.#timer = setTimeout(() => this.#poll(), pollMs);
  }
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
