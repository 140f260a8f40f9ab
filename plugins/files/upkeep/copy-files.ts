// Copies of files, for backups and exports: a folder with all that the database refers to.

import type { KernelAccess, OutsideCopy, OutsideCopying } from "../../../core/plugin.ts";
import type { FileStore } from "../stores/file-store.ts";
import { referredFiles } from "./referred-files.ts";

interface Stores {
  readonly from: FileStore;
  readonly to: FileStore;
}

/** A file never changes, so what is there in its length is not copied again. */
export async function copyFiles({ from, to }: Stores, kernel: KernelAccess, { signal }: OutsideCopying = {}): Promise<OutsideCopy> {
  const missing: string[] = [];
  let count = 0;
  let copied = 0;
  for await (const { uid, key, bytes, what } of referredFiles(kernel)) {
    signal?.throwIfAborted();
    if ((await to.size(key)) === bytes) continue;
    if ((await from.size(key)) !== bytes) {
      missing.push(`the ${what} 0x${uid.toString(16)} (${key})`);
      continue;
    }
    await to.remove(key);
    await to.write(key, untilAborted(from.read(key, { start: 0, end: bytes }), signal));
    count++;
    copied += bytes;
  }
  return { count, bytes: copied, missing };
}

/** Throws with the reason; then a store keeps nothing. */
async function* untilAborted(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    signal?.throwIfAborted();
    yield piece;
  }
}
