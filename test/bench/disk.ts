// The ceiling of durable writes: batches of one put, each synced, one after the other.

import { join } from "node:path";
import { Level } from "level";

const record = JSON.stringify({ name: "package", version: "1.0", section: "games", installedSizeKiB: 4_096 });

/** Batches a second. */
export async function syncedBatchRate(folder: string, seconds: number): Promise<number> {
  const db = new Level(join(folder, "disk"));
  await db.open();
  const begin = performance.now();
  let count = 0;
  while (performance.now() - begin < seconds * 1_000) {
    await db.batch([{ type: "put", key: `key-${count}`, value: record }], { sync: true });
    count += 1;
  }
  const rate = count / ((performance.now() - begin) / 1_000);
  await db.close();
  return rate;
}
