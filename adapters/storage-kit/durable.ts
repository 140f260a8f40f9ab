// Files and names that survive a loss of power.

import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Replaces a file as a whole: after a crash there is the old text or the new one. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  const file = await open(draft, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. Some systems cannot, and need not. */
export async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder).catch(() => undefined);
  await opened?.sync().catch(() => undefined);
  await opened?.close();
}
