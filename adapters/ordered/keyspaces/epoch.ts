// The views of readers: all readers of one commit share one view of the store.

import { QuernError } from "../../../core/storage.ts";
import type { OrderedStore, StoreView } from "../ground/store.ts";
import type { EntryView } from "./keyspace.ts";

/** What opens views, and closes those of an epoch that nobody reads. */
export interface EpochHolder {
  readonly store: OrderedStore;
  readonly isOpen: boolean;
  /** Called when a reader of `epoch` has closed its view. */
  leave(epoch: Epoch): void;
}

/** Readers of one commit. They share one view of the store, opened when a later commit is about to be written, or from the start where another thread writes. */
export class Epoch {
  readonly at: number;
  readers = 0;
  store: StoreView | undefined;

  constructor(at: number) {
    this.at = at;
  }

  release(): void {
    this.store?.close();
    this.store = undefined;
  }
}

/** A reader's view of one commit. */
export class ReaderView implements EntryView {
  readonly #holder: EpochHolder;
  readonly #epoch: Epoch;
  #open = true;

  constructor(holder: EpochHolder, epoch: Epoch) {
    this.#holder = holder;
    this.#epoch = epoch;
    epoch.readers++;
  }

  get at(): number {
    return this.#epoch.at;
  }

  storeView(): StoreView | undefined {
    this.#assertOpen();
    return this.#epoch.store;
  }

  pinnedView(): StoreView | undefined {
    this.#assertOpen();
    this.#epoch.store ??= this.#holder.store.view();
    return this.#epoch.store;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#epoch.readers--;
    this.#holder.leave(this.#epoch);
  }

  #assertOpen(): void {
    if (!this.#holder.isOpen) throw new QuernError("STORE_CLOSED", "the store is closed");
  }
}
