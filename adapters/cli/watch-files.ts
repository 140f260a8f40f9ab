// Tells of changes of a few files, however editors write them: in place, or by putting another file in their place.

import { dirname, resolve } from "node:path";
import { watch } from "chokidar";

/** Waits until a file has stopped growing: an editor may empty it before it writes. */
const settledMs = 50;

/**
 * Calls `changed` with the path as given, also when a file that was not there appears.
 *
 * @returns how to stop
 */
export async function watchFiles(paths: readonly string[], changed: (path: string) => void): Promise<() => Promise<void>> {
  const given = new Map(paths.map((path) => [resolve(path), path]));
  // Folders are watched and not the files, so that one which is away for a while is seen when it is back.
  const folders = new Set([...given.keys()].map((path) => dirname(path)));
  const watcher = watch([...folders], {
    depth: 0,
    ignored: (path) => !folders.has(path) && !given.has(resolve(path)),
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: settledMs, pollInterval: 10 },
  });
  const tell = (path: string) => changed(given.get(resolve(path)) ?? path);
  watcher.on("add", tell).on("change", tell);
  await new Promise<void>((ready) => watcher.once("ready", () => ready()));
  return () => watcher.close();
}
