// The views of a thread that reads along while another thread writes. A view is opened once for each commit that is asked for. Caches stay exact:
// the writer posts the keys of a batch before it writes it, and they are dropped before a view of that batch is read.

import { isMainThread, receiveMessageOnPort } from "node:worker_threads";
import { QuernError } from "../../../core/storage.ts";
import type { OrderedStore, StoreView } from "../ground/store.ts";
import { Cache, type Evictable } from "../keyspaces/cache.ts";
import type { CommitPost } from "../keyspaces/commit-posts.ts";
import { Epoch, type EpochHolder, ReaderView } from "../keyspaces/epoch.ts";
import { notes } from "../keyspaces/format.ts";
import type { Followed, KeyspaceHost } from "../keyspaces/keyspace.ts";
import type { Seat } from "./seat.ts";

export interface FollowerOptions {
  readonly store: OrderedStore;
  readonly seat: Seat;
  /** The newest commit that a view of the store shows. */
  readonly commitIn: (view: StoreView) => number;
  /** Called with the first view that shows another catalog. */
  readonly catalogChanged: (view: StoreView) => void;
  /** What an entry holds, in words. */
  readonly nameOf: (key: string) => string;
}

/** The keyspace of the catalog. */
const catalogPrefix = notes.catalog;

/** How long a reader waits at most for the writer to acknowledge a commit that the store shows already. */
const acknowledgedWithinMs = 100;

export class FollowerEngine implements KeyspaceHost, EpochHolder {
  readonly store: OrderedStore;
  readonly cache: Cache;
  /** Only a writer knows which uids are fresh. */
  readonly freshUids = Number.POSITIVE_INFINITY;
  readonly #options: FollowerOptions;
  readonly #keyspaces = new Map<string, Followed>();
  #epoch: Epoch | undefined;
  /** The newest commit whose post has come, or that a view has shown. */
  #seen = 0;
  #catalogIsOld = false;
  isOpen = true;

  constructor(options: FollowerOptions) {
    this.store = options.store;
    this.cache = new Cache(options.seat.cacheBytes);
    this.#options = options;
    const { port } = options.seat;
    // An idle reader takes posts as they come: they would pile up.
    port.on("message", (post: CommitPost) => this.#take(post));
    port.unref();
  }

  get published(): number {
    return this.#seen;
  }

  get #newest(): number {
    return Number(Atomics.load(this.#options.seat.newest, 0));
  }

  opened(keyspace: Evictable & Followed): void {
    this.cache.join(keyspace);
    this.#keyspaces.set(keyspace.prefix, keyspace);
  }

  closed(keyspace: Evictable & Followed): void {
    this.cache.leave(keyspace);
    this.#keyspaces.delete(keyspace.prefix);
  }

  nameOf(key: string): string {
    return this.#options.nameOf(key);
  }

  /** @throws QuernError always: another thread writes */
  touch(): never {
    throw new QuernError("STORE_UNAVAILABLE", "this thread only reads the store");
  }

  /** Companions write beside keyspaces; here nothing is written. */
  accompany(): void {}

  /** A view that shows every commit whose client was answered. */
  read(): ReaderView {
    if (!this.isOpen) throw new QuernError("STORE_CLOSED", "the store is not open");
    if (this.#epoch === undefined || this.#epoch.at < this.#newest) this.#epoch = this.#advance();
    return new ReaderView(this, this.#epoch);
  }

  leave(epoch: Epoch): void {
    if (epoch.readers > 0 || epoch === this.#epoch) return;
    epoch.release();
  }

  close(): void {
    this.isOpen = false;
    this.#options.seat.port.close();
    this.#epoch?.release();
    this.#epoch = undefined;
  }

  #advance(): Epoch {
    const previous = this.#epoch;
    const view = this.store.view();
    const at = this.#options.commitIn(view);
    this.#drain();
    this.#seen = Math.max(this.#seen, at);
    this.#awaitAcknowledgement(at);
    const epoch = new Epoch(at);
    epoch.store = view;
    this.#epoch = epoch;
    if (previous !== undefined) this.leave(previous);
    if (this.#catalogIsOld) {
      this.#catalogIsOld = false;
      this.#options.catalogChanged(view);
    }
    return epoch;
  }

  /** Everything that was posted before the batch of the newest view was written. */
  #drain(): void {
    for (;;) {
      const received: { readonly message: CommitPost } | undefined = receiveMessageOnPort(this.#options.seat.port);
      if (received === undefined) return;
      this.#apply(received.message);
    }
  }

  #take(post: CommitPost): void {
    this.#apply(post);
    // A view that nobody reads would keep the store from dropping old data.
    if (this.#epoch?.readers !== 0) return;
    this.#epoch.release();
    this.#epoch = undefined;
  }

  #apply({ at, changed }: CommitPost): void {
    this.#seen = Math.max(this.#seen, at);
    if (changed === undefined) {
      this.#catalogIsOld = true;
      for (const keyspace of this.#keyspaces.values()) keyspace.forget(undefined, at);
      return;
    }
    for (const [prefix, keys] of changed) {
      if (prefix === catalogPrefix) this.#catalogIsOld = true;
      this.#keyspaces.get(prefix)?.forget(keys, at);
    }
  }

  /**
   * The store shows a commit a moment before the writer's thread acknowledges it. A client that saw it here must not miss it in its next request, which
   * that thread may answer.
   */
  #awaitAcknowledgement(at: number): void {
    if (isMainThread) return;
    const until = performance.now() + acknowledgedWithinMs;
    const { newest } = this.#options.seat;
    for (;;) {
      const seen = Atomics.load(newest, 0);
      const leftMs = until - performance.now();
      if (Number(seen) >= at || leftMs <= 0) return;
      Atomics.wait(newest, 0, seen, leftMs);
    }
  }
}
