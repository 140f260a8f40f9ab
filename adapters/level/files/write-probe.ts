// Writes and syncs a file in the folder of the store, to see whether the disk takes writes. LevelDB writes when it opens a store: where that fails, one
// that was closed for it cannot even be read any more.

import { open, rm } from "node:fs/promises";
import { join } from "node:path";

const probeFile = "write-probe";
/** Not what a full disk keeps for names alone. */
const probeBytes = 64 << 10;

/** @throws what the system says */
export async function assertWritable(folder: string): Promise<void> {
  const path = join(folder, probeFile);
  try {
    const file = await open(path, "w");
    try {
      await file.writeFile(Buffer.alloc(probeBytes, 1));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}
