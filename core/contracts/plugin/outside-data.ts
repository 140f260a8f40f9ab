// What a plugin keeps outside the database, such as the bytes of files: the commands that check, copy and restore a database do the same with it.

import type { KernelAccess } from "./kernel-access.ts";

/** All of its methods run beside requests, on whatever the database holds at that moment. */
export interface OutsideData {
  /** One word, for messages: `files`. */
  readonly name: string;
  /** Compares it with the database, and yields what is wrong, each fault once. */
  check(kernel: KernelAccess, options: OutsideCheck): AsyncIterable<OutsideFault>;
  /** Copies what the database refers to into `folder`, which may hold some of it from before. */
  copyTo(folder: string, kernel: KernelAccess, options?: OutsideCopying): Promise<OutsideCopy>;
  /** Copies what the database refers to, and is not there, from such a folder. */
  copyFrom(folder: string, kernel: KernelAccess, options?: OutsideCopying): Promise<OutsideCopy>;
}

/** How `check` works. */
export interface OutsideCheck {
  /** Removes what nothing refers to. */
  readonly repair: boolean;
}

/** How copies are made. */
export interface OutsideCopying {
  /** Ends it, also within a long file: it rejects with the reason, and what is copied by then is whole. */
  readonly signal?: AbortSignal | undefined;
}

/** What is wrong. */
export interface OutsideFault {
  /** One word: `missing`, `damaged`, `orphaned`. */
  readonly kind: string;
  /** What is wrong with what, in one line. */
  readonly message: string;
  /** It was removed. */
  readonly isRepaired: boolean;
}

/** What was copied. */
export interface OutsideCopy {
  /** What was copied now. */
  readonly count: number;
  readonly bytes: number;
  /** What is in neither place, in words. */
  readonly missing: readonly string[];
}
