// Copies of files, for backups and exports: a folder with all that the database refers to.

import type { KernelAccess, OutsideCopy } from "../../../core/plugin.ts";
import type { FileStore } from "../stores/file-store.ts";
import { referredFiles } from "./referred-files.ts";

/** A file never changes, so what is there in its length is not copied again. */
export async function copyFiles(from: FileStore, to: FileStore, kernel: KernelAccess): Promise<OutsideCopy> {
  const missing: string[] = [];
  let count = 0;
  let copied = 0;
  for await (const { uid, key, bytes, what } of referredFiles(kernel)) {
    if ((await to.size(key)) === bytes) continue;
    if ((await from.size(key)) !== bytes) {
      missing.push(`the ${what} 0x${uid.toString(16)} (${key})`);
      continue;
    }
    await to.remove(key);
    await to.write(key, from.read(key, { start: 0, end: bytes }));
    count++;
    copied += bytes;
  }
  return { count, bytes: copied, missing };
}
