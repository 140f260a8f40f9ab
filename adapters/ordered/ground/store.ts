// The contract of an ordered key/value store. `adapters/level/` implements it for LevelDB.

import type { PinnedFiles, QuernError, Uid, VerifyOptions, VerifyReport } from "../../../core/storage.ts";

/** A fixed view of the store. */
export interface StoreView {
  close(): void;
}

/** One write of a batch. */
export type StoreOperation =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array }
  | { readonly type: "del"; readonly key: string };

/** A range of keys, in the order of their UTF-8 bytes. */
export interface KeyRange {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

/** Reads a range in pieces, on one view of the store. */
export interface StoreCursor {
  /** Up to `count` further entries, in key order; empty at the end of the range. */
  next(count: number): Promise<readonly (readonly [key: string, value: Uint8Array])[]>;
  close(): Promise<void>;
}

/** How a store is opened. */
export interface StoreOpenOptions {
  /** Called with the `fault` of the open store, when it turns out to be damaged. */
  readonly onFault?: ((fault: QuernError) => void) | undefined;
}

/** Keys are text, ordered by UTF-8 bytes; values are bytes. Arguments arrive checked; calls come only between `open` and `close`. */
export interface OrderedStore {
  readonly name: string;
  /** Set when an open store turns out to be damaged: every read and write fails with it. Clients read the message: it must name no path. */
  readonly fault?: QuernError | undefined;
  /** The folder that belongs to the store alone; undefined: none. */
  readonly folder?: string;
  /**
   * Errors: a `QuernError` `STORE_LOCKED`, `STORE_UNAVAILABLE` or `STORE_CORRUPT` with one clear sentence. A store that is opened again without options
   * keeps those of before.
   */
  open(options?: StoreOpenOptions): Promise<void>;
  close(): Promise<void>;
  /** Reads on this thread: for values that are few, small or hot. Without a view: the newest. */
  getSync(key: string, view?: StoreView): Uint8Array | undefined;
  /** Reads many keys off the event loop, in the order asked. */
  getMany(keys: readonly string[], view?: StoreView): Promise<readonly (Uint8Array | undefined)[]>;
  /**
   * Applies all operations or none. With `sync`, resolves when they survive a power failure. Resolves in a later turn of the event loop: otherwise
   * consecutive writers would block it.
   */
  batch(operations: readonly StoreOperation[], options: { readonly sync: boolean }): Promise<void>;
  cursor(range: KeyRange, view?: StoreView): StoreCursor;
  view(): StoreView;
  /** Called after a failed write: whether closing and opening the store would likely make it writable. Without it, writes fail until a restart. */
  canReopen?(): Promise<boolean>;
  /** Verifies the files of the store without opening it; changes nothing. Without it: the store verifies its own files. */
  verifyFiles?(options: Pick<VerifyOptions, "progress">): Promise<VerifyReport>;
  /** The files of one state of the open store, which holds all batches up to some batch and no later one. Without it: the store has no files. */
  pinFiles?(): Promise<Omit<PinnedFiles, "commit">>;
  /** A path inside the folder of the store for files that will replace its own; nothing is there yet. Without it: the store has no files. */
  incomingFolder?(): string;
  /**
   * From now on, the next `open` replaces the files of the store by those in `incoming`; a crash leaves the one or the other. Also called between `close`
   * and `open`. @param nextUid is kept as `leastUid` by then @returns the folder that then has the files of before
   */
  replaceAtOpening?(incoming: string, nextUid: Uid): Promise<string>;
  /**
   * No new node gets a uid below this one: the files that were replaced may have given them to nodes that the present files do not know, and clients may
   * have kept them. Asked for when the store is open. Absent: the files alone say which uids are free.
   */
  readonly leastUid?: Uid;
  /**
   * The same store for another thread of this process: called there, on a store of the same configuration. It opens while this thread has the store open,
   * closes before it, and writes nothing. A view of it shows each batch that is written, at once. Without it: only this thread reads.
   */
  follower?(): OrderedStore;
  /** What the store counts about itself while it is open, for metrics. A name that ends in `Total` only rises until the store is closed. */
  counters?(): Readonly<Record<string, number>>;
  /** Bytes on disk, roughly. What was written last may be left out. */
  approximateSize(range: KeyRange): Promise<number>;
  /** Bytes of all files of the open store. Without it: what `approximateSize` says of all keys. */
  diskBytes?(): Promise<number>;
}
