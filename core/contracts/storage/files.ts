// The files of a store: pinned for a backup, and replaced by others.

import type { CommitToken } from "../../ground/values/value.ts";

/** The files of one state of a store, which holds every commit up to some commit and no part of a later one. */
export interface PinnedFiles {
  /** The state holds this commit, and perhaps later ones. */
  readonly commit: CommitToken;
  /** All files of the state. */
  readonly files: readonly PinnedFile[];
  /** The files may be deleted. Called exactly once. */
  release(): Promise<void>;
}

/**
 * One file:
 *
 *     { name: "000042.ldb", path: "/srv/data/pinned-1/000042.ldb", bytes: 2097152, sealed: "000042.ldb 1700000000000" }
 */
export interface PinnedFile {
  /** Its name in the folder of the store. */
  readonly name: string;
  /** Where it can be read. Only its first `bytes` belong to the state. */
  readonly path: string;
  /** How many bytes of it belong to the state. */
  readonly bytes: number;
  /** Set for a file that never changes: two files of one store with the same text here are the same, so that a backup copies them once. */
  readonly sealed?: string;
}

/**
 * How the files of a store are replaced by those of another one, such as a restored backup:
 *
 *     const incoming = storage.replacement.begin();
 *     // … makes the folder `incoming`, with the files of a backup in it …
 *     const before = await storage.replacement.announce(incoming);
 *     await storage.close();
 *     await storage.open();
 *     // The store has the files of the backup, and `before` has those that it had.
 *
 * A process that ends at any moment leaves the store of before, or, once `announce` has resolved, the new one; the next opening finishes.
 */
export interface StoreReplacement {
  /**
   * From now on transactions, migrations and erasures are refused with `STORE_UNAVAILABLE`, because the new files would not have them. Reads go on.
   *
   * @returns a path on the disk of the store, which does not exist yet. What remains there is removed by the next opening
   */
  begin(): string;
  /** Accepts writes again: nothing is replaced. Does nothing when nothing has begun. */
  cancel(): void;
  /**
   * Lets the next opening replace the files by those in the folder `incoming`. It is given by `begin`, or was the result of an earlier call, to undo
   * that one; then the store may be closed.
   *
   * @returns the folder that keeps the files of before. Only the newest one is kept
   */
  announce(incoming: string): Promise<string>;
}
