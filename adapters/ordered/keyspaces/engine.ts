// One writer, group commit, and the views of readers. Transactions run one after another on top of the staged writes. Those that finish while
// a batch is being written form the next batch.

import { QuernError, run, type Work } from "../../../core/storage.ts";
import type { OrderedStore, StoreOperation } from "../ground/store.ts";
import { Cache, type Evictable } from "./cache.ts";
import { CommitPosts } from "./commit-posts.ts";
import { Epoch, type EpochHolder, ReaderView } from "./epoch.ts";
import type { Companion, EntryView, KeyspaceHost, Layers } from "./keyspace.ts";

export interface EngineOptions {
  readonly cacheBytes: number;
  /** What an entry holds, in words. */
  readonly nameOf: (key: string) => string;
  /** Whether a commit waits until it survives a power failure. */
  readonly sync: boolean;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  readonly published: (() => void) | undefined;
}

export class Engine implements KeyspaceHost, EpochHolder {
  readonly store: OrderedStore;
  readonly cache: Cache;
  /** Reports to read workers what each commit changes. */
  readonly posts = new CommitPosts();
  /** The writer sees everything staged, and what is on disk below it. */
  readonly writer: EntryView = { at: Number.POSITIVE_INFINITY, storeView: () => undefined, pinnedView: () => undefined };
  readonly nameOf: (key: string) => string;
  readonly #sync: boolean;
  readonly #companions = new Set<Companion>();
  readonly #epochs = new Set<Epoch>();
  #epoch = new Epoch(0);
  #working = new Set<Layers>();
  #staged = new Set<Layers>();
  #waiting: Waiting[] = [];
  #stagedAt = 0;
  #flushing: Promise<void> | undefined;
  /** Who waits for the batch that is being written. */
  #inFlight: Waiting[] | undefined;
  #failure: QuernError | undefined;
  #running = false;
  readonly #queue: (() => void)[] = [];
  readonly #whenQuiet: (() => void)[] = [];
  #commits = 0;
  #batches = 0;
  isOpen = false;
  /** The store holds no uid from this one on. Every durable commit sets it. */
  freshUids = Number.POSITIVE_INFINITY;

  constructor(store: OrderedStore, options: EngineOptions) {
    this.store = store;
    this.cache = new Cache(options.cacheBytes);
    this.nameOf = options.nameOf;
    this.#sync = options.sync;
  }

  get published(): number {
    return this.#epoch.at;
  }

  /** Counters for people and metrics. Totals count from the opening of the store. */
  counters(): Readonly<Record<string, number>> {
    let readers = 0;
    for (const epoch of this.#epochs) readers += epoch.readers;
    return {
      commitsTotal: this.#commits,
      batchesTotal: this.#batches,
      waitingWrites: this.#queue.length + (this.#running ? 1 : 0),
      openViews: readers,
      cacheBytes: this.cache.bytes,
      cacheMaxBytes: this.cache.maxBytes,
      cacheAgedTotal: this.cache.aged,
    };
  }

  /** The newest commit the writer has staged. */
  get stagedAt(): number {
    return this.#stagedAt;
  }

  start(at: number): void {
    this.#epoch = new Epoch(at);
    this.#epochs.add(this.#epoch);
    this.#stagedAt = at;
    this.posts.published(at);
    this.isOpen = true;
  }

  opened(keyspace: Evictable): void {
    this.cache.join(keyspace);
  }

  closed(keyspace: Evictable): void {
    this.cache.leave(keyspace);
  }

  touch(keyspace: Layers): void {
    this.#working.add(keyspace);
  }

  accompany(companion: Companion): void {
    this.#companions.add(companion);
  }

  read(): ReaderView {
    if (!this.isOpen) throw new QuernError("STORE_CLOSED", "the store is not open");
    if (this.store.fault !== undefined) throw this.store.fault;
    return new ReaderView(this, this.#epoch);
  }

  /** The failed write that blocks further writes until the store is opened again; undefined: none. */
  get failure(): QuernError | undefined {
    return this.#failure;
  }

  /** Resolves when no reader is left, or after the given time. */
  async quiet(atMostMs: number): Promise<void> {
    if (!this.#isRead()) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, atMostMs);
      this.#whenQuiet.push(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }

  #isRead(): boolean {
    return [...this.#epochs].some((epoch) => epoch.readers > 0);
  }

  leave(epoch: Epoch): void {
    if (this.#whenQuiet.length > 0 && !this.#isRead()) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    if (epoch.readers > 0 || epoch === this.#epoch) return;
    epoch.release();
    this.#epochs.delete(epoch);
  }

  /** Waits for the writer's turn. The caller then calls `done` once. */
  turn(): Promise<void> | undefined {
    if (!this.#running) {
      this.#running = true;
      return undefined;
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  done(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#running = false;
    else next();
  }

  assertWritable(): void {
    if (!this.isOpen) throw new QuernError("STORE_CLOSED", "the store is not open");
    if (this.store.fault !== undefined) throw this.store.fault;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Whether the running transaction has written anything. */
  get hasWork(): boolean {
    return this.#working.size > 0;
  }

  /** Undoes the writes of the running transaction. */
  rollback(): void {
    for (const keyspace of this.#working) keyspace.discardWork();
    this.#working.clear();
  }

  /**
   * Makes the running transaction part of the next batch as commit `at`.
   *
   * @param published runs when the commit is durable, in commit order, before any caller gets its answer

   * @returns resolves when it is durable
   */
  commit(at: number, published?: () => void): Promise<void> {
    this.assertWritable();
    for (const keyspace of this.#working) {
      keyspace.stage();
      this.#staged.add(keyspace);
    }
    this.#working.clear();
    this.#stagedAt = at;
    return this.#await(published);
  }

  /** Resolves when everything the writer has seen so far is durable. */
  settled(): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waiting.length > 0) return this.#await(undefined);
    // The batch on its way to the disk is enough. Waiting for all batches would not end while others write.
    return this.#inFlight && join(this.#inFlight, undefined);
  }

  async close(): Promise<void> {
    while (this.#running || this.#flushing !== undefined || this.#waiting.length > 0) {
      const turn = this.turn();
      if (turn !== undefined) await turn;
      await this.#flushing?.catch(() => undefined);
      this.done();
      if (this.#failure !== undefined) break;
    }
    this.isOpen = false;
    for (const epoch of this.#epochs) epoch.release();
    this.#epochs.clear();
  }

  #await(published: (() => void) | undefined): Promise<void> {
    const promise = join(this.#waiting, published);
    if (this.#flushing === undefined) this.#flushing = this.#flushAll();
    return promise;
  }

  async #flushAll(): Promise<void> {
    // A turn of the event loop lets transactions that are ready now share the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0 && this.#failure === undefined) await this.#flushOnce();
    this.#flushing = undefined;
  }

  async #flushOnce(): Promise<void> {
    const group = this.#waiting;
    const keyspaces = this.#staged;
    const at = this.#stagedAt;
    this.#waiting = [];
    this.#inFlight = group;
    this.#staged = new Set();
    try {
      const operations: StoreOperation[] = [];
      for (const keyspace of keyspaces) keyspace.startFlush();
      const encoded = run(ofEach(keyspaces, (keyspace) => keyspace.encode(operations)));
      if (encoded !== undefined) await encoded;
      for (const companion of this.#companions) companion.append(operations);
      this.#epoch.store ??= this.store.view();
      // Before the batch: who sees it in the store finds the post.
      this.posts.post(at, keyspaces);
      if (operations.length > 0) await this.store.batch(operations, { sync: this.#sync });
      const cached = run(ofEach(keyspaces, (keyspace) => keyspace.cacheFlushed(at)));
      if (cached !== undefined) await cached;
    } catch (cause) {
      this.#inFlight = undefined;
      this.#fail(cause, group, keyspaces);
      return;
    }
    this.#inFlight = undefined;
    for (const companion of this.#companions) companion.saved();
    this.#commits += at - this.#epoch.at;
    this.#batches++;
    this.#publish(at, keyspaces);
    for (const each of group) each.published?.();
    for (const each of group) each.resolve();
  }

  #publish(at: number, keyspaces: Set<Layers>): void {
    const previous = this.#epoch;
    this.#epoch = new Epoch(at);
    this.#epochs.add(this.#epoch);
    for (const keyspace of keyspaces) keyspace.publish(at);
    this.posts.published(at);
    this.leave(previous);
  }

  /** The failed batch may be on disk or not; later ones are not. The store accepts no write until it is opened again. */
  #fail(cause: unknown, group: readonly Waiting[], keyspaces: Set<Layers>): void {
    const reason = cause instanceof QuernError ? `: ${cause.message}` : "";
    const unknown = new QuernError(
      "OUTCOME_UNKNOWN",
      `writing to the store failed${reason}; whether the commit is kept shows when the store takes writes again`,
      { cause },
    );
    this.#failure = new QuernError("STORE_UNAVAILABLE", `writing to the store failed${reason}; it takes writes again when it can be opened anew`, {
      cause,
    });
    for (const keyspace of [...keyspaces, ...this.#staged, ...this.#working]) keyspace.discardAll();
    this.#staged = new Set();
    for (const each of group) each.reject(unknown);
    for (const each of this.#waiting) each.reject(this.#failure);
    this.#waiting = [];
  }
}

/** Keyspaces between two looks at the clock. Each may have some entries. */
const stepKeyspaces = 8;

function* ofEach(keyspaces: Iterable<Layers>, begin: (keyspace: Layers) => Work<void> | undefined): Work<void> {
  let begun = 0;
  for (const keyspace of keyspaces) {
    const left = begin(keyspace);
    if (left !== undefined) yield* left;
    if (++begun % stepKeyspaces === 0) yield;
  }
}

/** Resolves or rejects as the batch of `group` does. */
function join(group: Waiting[], published: Waiting["published"]): Promise<void> {
  return new Promise((resolve, reject) => {
    group.push({ resolve, reject, published });
  });
}
