// How much room the files of a store take. LevelDB's own estimate leaves out its log, which holds all of a young store.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Bytes of the files of `folder`. Pinned files below it are links to these, and take no room of their own. */
export async function diskBytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sizes = await Promise.all(entries.filter((entry) => entry.isFile()).map(({ name }) => sizeOf(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** LevelDB removes files while they are counted. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}
