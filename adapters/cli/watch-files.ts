// Tells of changes of a few files, however editors write them: in place, or by putting another file in their place.
//
// It looks again and again rather than waiting for the system's events: those are lost while a file is away, and do not
// come at all through most mounts of containers and virtual machines. Two looks at a file in a tenth of a second cost nothing.

import { stat } from "node:fs/promises";

/** A change is told once the file looked the same twice, this far apart: an editor may empty it before it writes. */
const lookMs = 50;

/**
 * Calls `changed` with the path as given, for whatever differs from how the files are when this returns; also when a file that was
 * not there appears, or one that was away is back. A file that goes away is not told of.
 *
 * @returns how to stop
 */
export async function watchFiles(paths: readonly string[], changed: (path: string) => void): Promise<() => void> {
  const watched = await Promise.all(paths.map(async (path) => new WatchedFile(path, await fileState(path))));
  let stopped = false;
  let timer: NodeJS.Timeout;
  const look = async () => {
    for (const file of watched) if (file.changedTo(await fileState(file.path)) && !stopped) changed(file.path);
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

/** What differs once a file was written or replaced; undefined while there is none. */
export async function fileState(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

class WatchedFile {
  readonly path: string;
  #told: string | undefined;
  #seen: string | undefined;

  constructor(path: string, state: string | undefined) {
    this.path = path;
    this.#told = state;
    this.#seen = state;
  }

  /** Whether `state` is new, and settled: the same as when it was looked at last. */
  changedTo(state: string | undefined): boolean {
    const settled = state === this.#seen;
    this.#seen = state;
    // Whoever was told and found no file is told again when it is back as it was.
    if (state === undefined) this.#told = undefined;
    if (!settled || state === this.#told) return false;
    this.#told = state;
    return true;
  }
}
