// A Storage over any ordered key/value store.

import {
  type ChangeRecord,
  type CommitToken,
  type Committed,
  type Deployed,
  type Erase,
  type Gap,
  type IndexThreads,
  type Layout,
  type LayoutComparison,
  type LinkLoad,
  type MaybePromise,
  type MetaNamesRequest,
  type MigrateOptions,
  type PartSize,
  QuernError,
  type ReaderAdmission,
  type ReaderSeat,
  type ReadOptions,
  type Snapshot,
  type Storage,
  type StorageCache,
  type StorageOpenOptions,
  type StoreReaders,
  type StoreReplacement,
  type StoreTrouble,
  type Transaction,
  type VerifyOptions,
  type VerifyReport,
} from "../../core/storage.ts";
import { ChangeLog, DeployListeners, SerialQueue, StorageLifecycle, VerifyReportBuilder } from "../storage-kit/index.ts";
import { removeScratch } from "./build/scratch.ts";
import { Database, type DatabaseOptions, isThenable } from "./database/database.ts";
import { sizesOf } from "./database/sizes.ts";
import { statisticsOf } from "./database/statistics.ts";
import { OrderedSnapshot, OrderedTransaction } from "./database/views.ts";
import { compareLayout } from "./deploy/compare.ts";
import { eraseData } from "./deploy/erase.ts";
import { deployedOf, migrate } from "./deploy/migrate.ts";
import { Sweeper } from "./deploy/sweep.ts";
import { FollowerStorage } from "./follow/follower-storage.ts";
import { asSeat } from "./follow/seat.ts";
import { SeatedReaders } from "./follow/seated-readers.ts";
import type { OrderedStore } from "./ground/store.ts";
import { tokenOf } from "./ground/tokens.ts";
import { loadLinks } from "./load/load-links.ts";
import { Reader } from "./read/reader.ts";
import { DeferredSnapshot, StoreRecovery } from "./store-recovery.ts";
import { DeferredIndexes } from "./threaded/deferred-indexes.ts";
import { asIndexingStart } from "./threaded/messages.ts";
import { runIndexing } from "./threaded/run-indexing.ts";
import { upgrade } from "./upgrade.ts";
import { verify } from "./verify/verify.ts";
import { Writer } from "./write/writer.ts";

/** The bounds and the durability of a storage. */
export interface OrderedStorageOptions {
  /** Bound of decoded data kept in memory, in bytes; 128 MiB by default. */
  readonly cacheBytes?: number;
  /** Whether commits wait for the disk; true by default. False: a crash of the operating system or a power failure may lose the last commits. */
  readonly sync?: boolean;
  /** Nodes one transaction may change; 1,000,000 by default. */
  readonly maxChanges?: number;
}

/** The default of `OrderedStorageOptions.cacheBytes`: 128 MiB. */
export const defaultCacheBytes = 128 << 20;
const defaultMaxChanges = 1_000_000;

/** A complete `Storage` over `store`, which it opens and closes. */
export function orderedStorage(
  store: OrderedStore,
  { cacheBytes = defaultCacheBytes, sync = true, maxChanges = defaultMaxChanges }: OrderedStorageOptions = {},
): Storage {
  return new OrderedStorage(store, { cacheBytes, sync, maxChanges });
}

interface Opened {
  readonly database: Database;
  readonly sweeper: Sweeper;
}

class OrderedStorage implements Storage {
  readonly name: string;
  readonly folder: string | undefined;
  readonly supports = { detailedChanges: true, linked: true, collation: true, seek: true, nearest: true, deferredIndexes: true };
  readonly cache: StorageCache;
  readonly verifyFiles?: NonNullable<Storage["verifyFiles"]>;
  readonly pinFiles?: NonNullable<Storage["pinFiles"]>;
  readonly replacement?: StoreReplacement;
  readonly readers?: StoreReaders;
  readonly indexThreads?: IndexThreads;
  /** Set while the files of the store are about to be replaced. */
  #writesRefused: QuernError | undefined;
  readonly #store: OrderedStore;
  readonly #options: Required<OrderedStorageOptions>;
  readonly #lifecycle: StorageLifecycle<Opened>;
  readonly #deployListeners = new DeployListeners();
  /** Opens the store again after a failed write. */
  readonly #recovery: StoreRecovery;
  /** Threads that read along. */
  readonly #seats = new SeatedReaders();
  /** Migrations, erasures and repairs. */
  readonly #exclusive = new SerialQueue();
  /** Indexes that a load has deferred. */
  readonly #deferred = new DeferredIndexes();
  /** Who hears of an upgrade while the store opens, and of what keeps it from serving. */
  #listeners: StorageOpenOptions = {};
  /** When the present fault of the store was first seen. */
  #faultSeen: { readonly fault: QuernError; readonly since: number } | undefined;

  constructor(store: OrderedStore, options: Required<OrderedStorageOptions>) {
    this.name = store.name;
    this.folder = store.folder;
    this.#store = store;
    this.#options = options;
    this.cache = this.#cache(options.cacheBytes);
    this.#lifecycle = new StorageLifecycle({ open: () => this.#openStore(), close: (opened) => this.#closeStore(opened) });
    this.#recovery = new StoreRecovery({
      store,
      databaseOptions: () => this.#databaseOptions,
      revokeReaders: () => this.#seats.revokeAll(),
      handOver: (fresh, failed) => this.#takeOver(fresh, failed),
      troubled: (trouble) => this.#listeners.troubled?.(trouble),
    });
    const pin = store.pinFiles?.bind(store);
    if (pin !== undefined) {
      this.pinFiles = async () => {
        // Asked first: the files hold at least what is acknowledged now.
        const commit = this.latest();
        return { ...(await pin()), commit };
      };
    }
    const incomingFolder = store.incomingFolder?.bind(store);
    const replaceAtOpening = store.replaceAtOpening?.bind(store);
    if (incomingFolder !== undefined && replaceAtOpening !== undefined) {
      this.replacement = {
        begin: () => {
          this.#assertWrites();
          this.#writesRefused = new QuernError("STORE_UNAVAILABLE", "the store accepts no writes until a backup is restored");
          return incomingFolder();
        },
        cancel: () => {
          this.#writesRefused = undefined;
        },
        // Undoing a replacement, it is called while the store is closed.
        announce: (incoming) => replaceAtOpening(incoming, this.#lifecycle.current?.database.nextUid ?? 1),
      };
    }
    const follower = store.follower?.bind(store);
    if (follower !== undefined) {
      this.readers = {
        admit: (admission) => this.#admit(admission),
        storage: (seat) => new FollowerStorage(follower(), asSeat(seat)),
      };
      this.indexThreads = {
        begin: (start) =>
          this.#exclusive.run(async () => {
            this.#assertWrites();
            return await this.#deferred.begin(await this.#writable(), start, this.#options);
          }),
        run: (data, layout) => runIndexing(follower(), asIndexingStart(data), layout),
      };
    }
    if (store.verifyFiles !== undefined)
      this.verifyFiles = async (asked = {}) => (await store.verifyFiles?.(asked)) ?? new VerifyReportBuilder({ repairs: false }).report();
  }

  get #databaseOptions(): DatabaseOptions {
    return { ...this.#options, cacheBytes: this.cache.maxBytes, failed: (database) => this.#writeFailed(database) };
  }

  /** A bound that is set while the storage is closed holds when it opens. */
  #cache(maxBytes: number): StorageCache {
    const cache = {
      maxBytes,
      resize: (bytes: number) => {
        cache.maxBytes = bytes;
        this.#lifecycle.current?.database.engine.cache.resize(bytes);
      },
    };
    return cache;
  }

  /** A recovery closes the store: a reader that is admitted meanwhile gets a seat at the one that it opens. */
  async #admit(admission: ReaderAdmission): Promise<ReaderSeat> {
    await this.#recovery.running?.catch(() => undefined);
    if (this.#store.fault !== undefined) throw this.#store.fault;
    return this.#seats.admit(this.#database.engine.posts, admission);
  }

  get trouble(): StoreTrouble | undefined {
    if (this.#lifecycle.current === undefined) return undefined;
    return this.#recovery.trouble ?? this.#faultTrouble(this.#store.fault);
  }

  /** Nothing but a restart ends it: after damage with a backup of the files, after the loss of the locks at once. */
  #faultTrouble(fault: QuernError | undefined): StoreTrouble | undefined {
    if (fault === undefined) return undefined;
    if (this.#faultSeen?.fault !== fault) this.#faultSeen = { fault, since: performance.now() };
    return { kind: "damaged", reason: fault.message, since: this.#faultSeen.since };
  }

  open(options: StorageOpenOptions = {}): Promise<void> {
    this.#listeners = options;
    return this.#lifecycle.open();
  }

  async close(): Promise<void> {
    // A recovery that is running replaces the database: only the new one is left to close.
    await this.#recovery.stop();
    await this.#lifecycle.close();
  }

  async #openStore(): Promise<Opened> {
    const { progress } = this.#listeners;
    await this.#store.open({
      onFault: (fault) => {
        // Other threads read the files themselves.
        void this.#seats.revokeAll().catch(() => undefined);
        this.#listeners.troubled?.(this.#faultTrouble(fault), fault);
      },
    });
    this.#writesRefused = undefined;
    try {
      await upgrade(this.#store, { progress });
      const database = new Database(this.#store, this.#databaseOptions);
      database.claimUid((this.#store.leastUid ?? 1) - 1);
      if (this.folder !== undefined) await removeScratch(this.folder, { isBuildPending: database.catalog.build !== undefined });
      this.#recovery.start();
      return withSweeper(database);
    } catch (reason) {
      await this.#store.close();
      throw reason;
    }
  }

  /** The open database, recovered first when a write has failed. */
  async #writable(): Promise<Database> {
    const { database } = this.#lifecycle.opened;
    return database.engine.failure === undefined ? database : await this.#recovery.run(database);
  }

  #writeFailed(database: Database): void {
    this.#lifecycle.current?.sweeper.stop();
    this.#recovery.begin(database);
  }

  #takeOver(fresh: Database, failed: Database): void {
    // The store that was opened again has swept them.
    void this.#deferred.close();
    this.#lifecycle.replace(withSweeper(fresh));
    const deployed = deployedOf(fresh.catalog);
    // The failed write was a deploy, and the store holds it: the kernel still serves the schema before.
    if (deployed !== undefined && deployed.version !== failed.catalog.version) this.#deployListeners.notify(deployed);
  }

  async #closeStore({ database, sweeper }: Opened): Promise<void> {
    sweeper.stop();
    await this.#exclusive.idle();
    await sweeper.idle();
    await this.#deferred.close();
    await this.#seats.revokeAll();
    await database.close();
    await this.#store.close();
  }

  /** @throws QuernError `STORE_UNAVAILABLE` while the store could not be opened again */
  get #database(): Database {
    const { database } = this.#lifecycle.opened;
    this.#recovery.assertOpen();
    return database;
  }

  snapshot(options: ReadOptions): Snapshot {
    const database = this.#database;
    const { running } = this.#recovery;
    if (running !== undefined)
      return new DeferredSnapshot(
        database.latest(),
        running.then(() => this.snapshot(options)),
      );
    const view = database.read();
    const at = tokenOf(view.at);
    if (options.after !== undefined && options.after > at) {
      view.close();
      throw new QuernError("VIEW_EXPIRED", "the commit asked for is not here");
    }
    const reader = new Reader({ view, schema: database.schemaFor(options.version), budget: options.budget, chosen: options.chosen });
    return new OrderedSnapshot({ at, reader, meta: database.meta, release: () => view.close() });
  }

  #assertWrites(): void {
    if (this.#writesRefused !== undefined) throw this.#writesRefused;
  }

  async transact<T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions): Promise<Committed<T>> {
    this.#assertWrites();
    const now = this.#lifecycle.opened.database;
    const database = now.engine.failure === undefined ? now : await this.#writable();
    return await database.write(() => {
      // Where nothing is deployed, nothing but meta can be written.
      if (database.catalog.document !== undefined && options.version !== database.schema.version)
        throw new QuernError("STALE_LAYOUT", "another schema was deployed meanwhile; try again");
      return this.#run(database, work, options);
    });
  }

  #run<T>(database: Database, work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions) {
    const log = new ChangeLog();
    const view = database.writerView;
    const writer = new Writer({
      maintenance: database.maintenance,
      view,
      log,
      maxChanges: this.#options.maxChanges,
      claim: (uid) => database.claimUid(uid),
      budget: options.budget,
    });
    // The deadline may have passed while this transaction waited for its turn.
    options.budget?.spend(0);
    const transaction = new OrderedTransaction({
      at: tokenOf(database.engine.stagedAt),
      reader: new Reader({ view, schema: database.schema, budget: options.budget }),
      meta: database.meta,
      writer,
      uids: (count) => database.takeUids(count),
    });
    const ending = (result: T) => {
      writer.assertWhole();
      if (!log.isEmpty) options.budget?.spend(log.changedNodes);
      return {
        result,
        wrote: !log.isEmpty || transaction.wroteMeta,
        changes: log,
      };
    };
    const pending = work(transaction);
    return isThenable(pending) ? Promise.resolve(pending).then(ending) : ending(pending);
  }

  changes(listener: (event: ChangeRecord | Gap) => void, after?: CommitToken): () => void {
    return this.#lifecycle.opened.database.feed.listen(listener, after);
  }

  latest(): CommitToken {
    return this.#lifecycle.opened.database.latest();
  }

  async metaNames({ prefix, after = "", first }: MetaNamesRequest): Promise<readonly string[]> {
    const database = (await this.#recovery.running) ?? this.#database;
    const view = database.read();
    try {
      return await database.meta.keys({ prefix, from: `${after}\0`, first }, view);
    } finally {
      view.close();
    }
  }

  deployed(): Deployed | undefined {
    return deployedOf(this.#lifecycle.opened.database.catalog);
  }

  /** Only this process has the store open. A listener is called when a deploy whose outcome was unknown turns out to be in force. */
  deploys(listener: (deployed: Deployed) => void): () => void {
    return this.#deployListeners.add(listener);
  }

  compare(layout: Layout): Promise<LayoutComparison> {
    return compareLayout(this.#database, layout);
  }

  migrate(layout: Layout, document: string, options: MigrateOptions = {}): Promise<Deployed> {
    return this.#exclusive.run(async () => {
      this.#assertWrites();
      const { progress, takeOver, deferIndexes = false } = options;
      const database = await this.#writable();
      const migration = { layout, document, deferIndexes, progress };
      const deployed = await this.#deferred.handOver(database, migration, (loaded) => migrate(database, { ...migration, takeOver, loaded }));
      this.#deferred.migrated(migration);
      this.#lifecycle.current?.sweeper.start();
      return deployed;
    });
  }

  loadLinks(load: LinkLoad): Promise<boolean> {
    return this.#exclusive.run(async () => {
      this.#assertWrites();
      const assertRuns = () => {
        this.#assertWrites();
        void this.#lifecycle.opened;
      };
      // Links of a load come behind its nodes.
      void this.#deferred.end().catch(() => undefined);
      const isWritten = await loadLinks(await this.#writable(), load, { assertRuns, sync: this.#options.sync });
      this.#lifecycle.current?.sweeper.start();
      return isWritten;
    });
  }

  erase(what: Erase): Promise<void> {
    return this.#exclusive.run(async () => {
      this.#assertWrites();
      await this.#deferred.drop();
      await eraseData(await this.#writable(), what);
      this.#lifecycle.current?.sweeper.start();
    });
  }

  verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    return this.#exclusive.run(async () => {
      if (options.repair) this.#assertWrites();
      if (options.repair) await this.#deferred.drop();
      return verify(options.repair ? await this.#writable() : this.#database, options);
    });
  }

  statistics(): Promise<Readonly<Record<string, number>>> {
    return statisticsOf(this.#database);
  }

  async sizes(): Promise<readonly PartSize[]> {
    return await sizesOf(this.#database);
  }
}

function withSweeper(database: Database): Opened {
  const sweeper = new Sweeper(database);
  sweeper.start();
  return { database, sweeper };
}
