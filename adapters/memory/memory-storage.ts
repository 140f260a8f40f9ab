// A storage in memory: the toolkit for ordered stores over `memory-level`.

import type { Storage } from "../../core/storage.ts";
import { orderedStorage } from "../ordered/index.ts";
import { MemoryStore } from "./memory-store.ts";

/** What it may keep and change at once. */
export interface MemoryStorageOptions {
  /** Bound of decoded data kept beside the stored bytes; 128 MiB by default. */
  readonly cacheBytes?: number;
  /** Nodes that one transaction may change; 1,000,000 by default. */
  readonly maxChanges?: number;
}

/**
 * A storage without files. It holds its data as long as the object lives, also between `close` and `open`; no other object sees them.
 *
 *     const kernel = createKernel({ storage: memoryStorage(), plugins });
 */
export function memoryStorage(options: MemoryStorageOptions = {}): Storage {
  return orderedStorage(new MemoryStore(), options);
}
