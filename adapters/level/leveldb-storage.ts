// LevelDB as a storage of Quern.

import { QuernError, type Storage } from "../../core/storage.ts";
import { defaultCacheBytes, orderedStorage } from "../ordered/index.ts";
import { betweenPassesMs, defaultWriteBufferBytes, LevelStore } from "./level-store.ts";

/** Where the store is, and how durable its commits are. */
export interface LeveldbStorageOptions {
  /** The folder. Made when it is not there. */
  readonly path: string;
  /** Bound of decoded data kept in memory; 128 MiB by default. LevelDB's own caches come on top, an eighth of this. */
  readonly cacheBytes?: number;
  /**
   * When a commit is answered: `fsync` (by default), when it survives the loss of power; `os-crash-may-lose-commits`, when the
   * operating system has it: a crash of this process loses nothing, one of the machine may lose the last commits, never parts of one.
   */
  readonly durability?: "fsync" | "os-crash-may-lose-commits";
  /** Nodes that one transaction may change; 1,000,000 by default. */
  readonly maxChanges?: number;
  /**
   * Bytes of files whose checksums are verified before the store opens; 64 MiB by default, some 200 ms. The others are verified
   * while the store serves: damage there ends its service with `STORE_CORRUPT`.
   */
  readonly verifyAtOpenBytes?: number;
  /**
   * Bytes a second at which all tables are verified again and again while the store serves, with ten minutes between two passes; 4 MiB by default, a
   * hundredth of a core. 0: only tables that LevelDB has merged are.
   */
  readonly verifyBytesPerSecond?: number;
}

/** A storage in a folder that one process has open at a time. */
export function leveldbStorage(options: LeveldbStorageOptions): Storage {
  return storageWithBuffers(options, defaultWriteBufferBytes);
}

/** @param writeBufferBytes what LevelDB gathers in memory before it writes a table; twice that for a moment */
export function storageWithBuffers(
  { path, cacheBytes = defaultCacheBytes, durability = "fsync", maxChanges, verifyAtOpenBytes, verifyBytesPerSecond }: LeveldbStorageOptions,
  writeBufferBytes: number,
): Storage {
  if (path === "") throw new QuernError("CONFIG_INVALID", "leveldbStorage: `path` names no folder");
  return orderedStorage(
    new LevelStore(path, {
      blockCacheBytes: Math.ceil(cacheBytes / 8),
      writeBufferBytes,
      ...(verifyAtOpenBytes !== undefined && { verifyAtOpenBytes }),
      ...(verifyBytesPerSecond !== undefined && { passes: { betweenMs: betweenPassesMs, bytesPerSecond: verifyBytesPerSecond } }),
    }),
    {
      cacheBytes,
      sync: durability === "fsync",
      ...(maxChanges !== undefined && { maxChanges }),
    },
  );
}
