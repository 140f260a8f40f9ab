// An ordered storage on a store in memory, for as long as a piece of work takes.

import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import type { MemoryStore } from "./memory-store.ts";

export const storageOptions = { cacheBytes: 1 << 20, sync: true, maxChanges: 1_000_000 };

export async function withBench<T>(store: MemoryStore, work: (bench: Bench) => Promise<T>): Promise<T> {
  const storage = orderedStorage(store, storageOptions);
  await storage.open();
  try {
    return await work(new Bench(storage));
  } finally {
    await storage.close();
  }
}
