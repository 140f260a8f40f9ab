// All that the toolkit asks of an ordered key/value store. LevelDB supplies it in `adapters/level/`; another store needs about as much.

import type { QuernError, VerifyOptions, VerifyReport } from "../../core/index.ts";

/** A fixed view of the store. */
export interface StoreView {
  close(): void;
}

export type StoreOperation =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array }
  | { readonly type: "del"; readonly key: string };

export interface KeyRange {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

export interface StoreCursor {
  /** Up to `count` further entries, in key order; none when the range is read. */
  next(count: number): Promise<readonly (readonly [key: string, value: Uint8Array])[]>;
  close(): Promise<void>;
}

/** Keys are text, ordered by UTF-8 bytes; values are bytes. Arguments arrive checked; calls come only between `open` and `close`. */
export interface OrderedStore {
  readonly name: string;
  /** Set when the store can be trusted no more while it is open: every read and write fails with it. Names no place: clients read it. */
  readonly fault?: QuernError | undefined;
  /** The folder that is the store's alone. Undefined: it has none. */
  readonly folder?: string;
  /** Errors: a `QuernError` `STORE_LOCKED`, `STORE_UNAVAILABLE` or `STORE_CORRUPT` with one clear sentence. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** Reads on this thread: for what is small, few, or hot. Without a view: the newest. */
  getSync(key: string, view?: StoreView): Uint8Array | undefined;
  /** Reads many keys off the event loop, in the order asked. */
  getMany(keys: readonly string[], view?: StoreView): Promise<readonly (Uint8Array | undefined)[]>;
  /**
   * All operations or none. `sync`: resolves when they survive the loss of power. Resolves in a later turn of the event loop: writers
   * that follow each other at once would let nobody else run.
   */
  batch(operations: readonly StoreOperation[], options: { readonly sync: boolean }): Promise<void>;
  cursor(range: KeyRange, view?: StoreView): StoreCursor;
  view(): StoreView;
  /** Asked after a write has failed: whether a store that is closed now can likely be opened and written again. Without it: only people can tell. */
  canReopen?(): Promise<boolean>;
  /** Verifies what the store is made of without opening it, and changes nothing. Without it: the store does so itself. */
  verifyFiles?(options: Pick<VerifyOptions, "progress">): Promise<VerifyReport>;
  /** Bytes on disk, roughly. */
  approximateSize(range: KeyRange): Promise<number>;
}
