// How another thread reads a store that this one has open.

import type { TransferListItem } from "node:worker_threads";
import type { Storage } from "./storage.ts";

/**
 * How another thread reads the store that this one has open. There, a storage of the same configuration makes one that reads along:
 *
 *     // This thread.
 *     const { data, transfer } = await storage.readers.admit({ cacheBytes: 64 << 20, revoke: () => worker.terminate() });
 *     const worker = new Worker(file, { workerData: data, transferList: transfer });
 *     // The other one.
 *     const reader = config.storage.readers.storage(workerData);
 *     await reader.open();
 */
export interface StoreReaders {
  /** On the thread that has the store open: a seat for one reader. */
  admit(admission: ReaderAdmission): Promise<ReaderSeat>;
  /**
   * On the other thread: a storage that is not open yet. Its snapshots contain every commit that the first thread has acknowledged. It serves the layout
   * that is deployed when it opens; after another deploy `snapshot` throws `STALE_LAYOUT`. Methods that write fail. `migrate` takes the functions of the
   * deployed layout, and refuses any other one with `MIGRATION_REFUSED`.
   *
   * @param data of the seat
   */
  storage(data: unknown): Storage;
}

/** Who reads along. */
export interface ReaderAdmission {
  /** Bound of decoded data that the reader keeps in memory. */
  readonly cacheBytes: number;
  /** Called before the store closes, also when it closes only to open anew. Resolves when the reader's storage is closed, or its thread has ended. */
  revoke(): Promise<void>;
}

/** The place of one reader, on the thread that has the store open. */
export interface ReaderSeat {
  /** What the other thread passes to `StoreReaders.storage`. It can be sent there, once. */
  readonly data: unknown;
  /** The parts of `data` that are transferred, not copied. */
  readonly transfer: readonly TransferListItem[];
  /** The reader has ended. Called once. */
  leave(): void;
}
