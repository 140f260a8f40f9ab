// A Storage over any ordered key/value store.

import {
  type ChangeRecord,
  type CommitToken,
  type Committed,
  type Deployed,
  type Erase,
  type Gap,
  type Layout,
  type LayoutComparison,
  type MaybePromise,
  type MetaNamesRequest,
  type MigrateOptions,
  QuernError,
  type ReadOptions,
  type Snapshot,
  type Storage,
  type StorageCache,
  type Transaction,
  type VerifyOptions,
  type VerifyReport,
} from "../../core/index.ts";
import { ChangeLog, VerifyReportBuilder } from "../storage-kit/index.ts";
import { Database, type DatabaseOptions, isThenable } from "./database.ts";
import { compareLayout } from "./deploy/compare.ts";
import { eraseData } from "./deploy/erase.ts";
import { deployedOf, migrate } from "./deploy/migrate.ts";
import { Sweeper } from "./deploy/sweep.ts";
import { Reader } from "./read/reader.ts";
import { statisticsOf } from "./statistics.ts";
import type { OrderedStore } from "./store.ts";
import { DeferredSnapshot, StoreRecovery } from "./store-recovery.ts";
import { tokenOf } from "./tokens.ts";
import { verify } from "./verify/verify.ts";
import { OrderedSnapshot, OrderedTransaction } from "./views.ts";
import { Writer } from "./write/writer.ts";

export interface OrderedStorageOptions {
  /** Bound of decoded data kept in memory; 128 MiB by default. */
  readonly cacheBytes?: number;
  /** True by default. False: a commit is answered when the operating system has it; its crash, or power, may lose the last ones. */
  readonly sync?: boolean;
  /** Nodes one transaction may change; 1,000,000 by default. */
  readonly maxChanges?: number;
}

export const defaultCacheBytes = 128 << 20;
const defaultMaxChanges = 1_000_000;

/** What a store needs to be a whole storage. The store is opened and closed with it. */
export function orderedStorage(
  store: OrderedStore,
  { cacheBytes = defaultCacheBytes, sync = true, maxChanges = defaultMaxChanges }: OrderedStorageOptions = {},
): Storage {
  return new OrderedStorage(store, { cacheBytes, sync, maxChanges });
}

class OrderedStorage implements Storage {
  readonly name: string;
  readonly folder: string | undefined;
  readonly supports = { detailedChanges: true, linked: true, collation: true };
  readonly cache: StorageCache;
  readonly verifyFiles?: NonNullable<Storage["verifyFiles"]>;
  readonly #store: OrderedStore;
  readonly #options: Required<OrderedStorageOptions>;
  #open: { readonly database: Database; readonly sweeper: Sweeper } | undefined;
  readonly #deploys = new Set<(deployed: Deployed) => void>();
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** What a failed write makes necessary. */
  readonly #reopening: StoreRecovery;
  /** Migrations, erasures and repairs run one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: OrderedStore, options: Required<OrderedStorageOptions>) {
    this.name = store.name;
    this.folder = store.folder;
    this.#store = store;
    this.#options = options;
    this.cache = this.#cache(options.cacheBytes);
    this.#reopening = new StoreRecovery(store, () => this.#databaseOptions);
    if (store.verifyFiles !== undefined)
      this.verifyFiles = async (asked = {}) => (await store.verifyFiles?.(asked)) ?? new VerifyReportBuilder({ repairs: false }).report();
  }

  get #databaseOptions(): DatabaseOptions {
    return { ...this.#options, cacheBytes: this.cache.maxBytes };
  }

  /** The bound stays for as long as this object is in use. */
  #cache(maxBytes: number): StorageCache {
    const cache = {
      maxBytes,
      resize: (bytes: number) => {
        cache.maxBytes = bytes;
        this.#open?.database.engine.cache.resize(bytes);
      },
    };
    return cache;
  }

  async open(): Promise<void> {
    await this.#closing;
    if (this.#open !== undefined) return;
    this.#opening ??= this.#doOpen().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #doOpen(): Promise<void> {
    await this.#store.open();
    try {
      this.#serve(new Database(this.#store, this.#databaseOptions));
    } catch (reason) {
      await this.#store.close();
      throw reason;
    }
  }

  #serve(database: Database): void {
    this.#open = { database, sweeper: new Sweeper(database) };
    this.#open.sweeper.start();
  }

  /** The open database; one whose write has failed is opened anew first. */
  async #writable(): Promise<Database> {
    const { database, sweeper } = this.#opened;
    if (database.engine.failure === undefined) return database;
    sweeper.stop();
    return await this.#reopening.run(database, (fresh) => {
      this.#serve(fresh);
      const deployed = deployedOf(fresh.catalog);
      // The write that failed was a deploy, and is there: whoever serves the old one must know.
      if (deployed !== undefined && deployed.version !== database.catalog.version) for (const listener of this.#deploys) listener(deployed);
    });
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#reopening.running?.catch(() => undefined);
    if (this.#open === undefined) return this.#closing;
    const { database, sweeper } = this.#open;
    this.#open = undefined;
    this.#closing = this.#doClose(database, sweeper).finally(() => {
      this.#closing = undefined;
    });
    await this.#closing;
  }

  async #doClose(database: Database, sweeper: Sweeper): Promise<void> {
    sweeper.stop();
    await this.#last.catch(() => undefined);
    await sweeper.idle();
    await database.close();
    await this.#store.close();
  }

  get #opened(): { readonly database: Database; readonly sweeper: Sweeper } {
    if (this.#open === undefined) throw new QuernError("STORE_CLOSED", "the store is not open");
    return this.#open;
  }

  get #database(): Database {
    return this.#opened.database;
  }

  snapshot(options: ReadOptions): Snapshot {
    const database = this.#database;
    const { running } = this.#reopening;
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
    const reader = new Reader({ view, schema: database.schemaFor(options.version), budget: options.budget });
    return new OrderedSnapshot({ at, reader, meta: database.meta, release: () => view.close() });
  }

  async transact<T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions): Promise<Committed<T>> {
    const now = this.#database;
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
    // It may have waited long for its turn.
    options.budget?.spend(0);
    const transaction = new OrderedTransaction({
      at: tokenOf(database.engine.stagedAt),
      reader: new Reader({ view, schema: database.schema, budget: options.budget }),
      meta: database.meta,
      writer,
      uids: (count) => database.takeUids(count),
    });
    const ending = (result: T) => {
      if (!log.isEmpty) options.budget?.spend(log.changedNodes);
      return {
        result,
        wrote: !log.isEmpty || transaction.wroteMeta,
        told: { weight: log.weight, record: (token: CommitToken) => log.record(token) },
      };
    };
    const pending = work(transaction);
    return isThenable(pending) ? Promise.resolve(pending).then(ending) : ending(pending);
  }

  changes(listener: (event: ChangeRecord | Gap) => void, after?: CommitToken): () => void {
    return this.#database.feed.listen(listener, after);
  }

  latest(): CommitToken {
    return this.#database.latest();
  }

  async metaNames({ prefix, after = "", first }: MetaNamesRequest): Promise<readonly string[]> {
    const database = (await this.#reopening.running) ?? this.#database;
    const view = database.read();
    try {
      return await database.meta.keys({ prefix, from: `${after}\0`, first }, view);
    } finally {
      view.close();
    }
  }

  deployed(): Deployed | undefined {
    return deployedOf(this.#database.catalog);
  }

  /** One process has the store open: nobody else deploys. But a deploy whose outcome was unknown may turn out to be there. */
  deploys(listener: (deployed: Deployed) => void): () => void {
    this.#deploys.add(listener);
    return () => void this.#deploys.delete(listener);
  }

  compare(layout: Layout): Promise<LayoutComparison> {
    return compareLayout(this.#database, layout);
  }

  migrate(layout: Layout, document: string, options: MigrateOptions = {}): Promise<Deployed> {
    return this.#alone(async () => {
      const deployed = await migrate(await this.#writable(), { layout, document, progress: options.progress, takeOver: options.takeOver });
      this.#open?.sweeper.start();
      return deployed;
    });
  }

  erase(what: Erase): Promise<void> {
    return this.#alone(async () => {
      await eraseData(await this.#writable(), what);
      this.#open?.sweeper.start();
    });
  }

  verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    return this.#alone(async () => verify(options.repair ? await this.#writable() : this.#database, options));
  }

  statistics(): Promise<Readonly<Record<string, number>>> {
    return statisticsOf(this.#database);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.catch(() => undefined).then(work);
    this.#last = turn;
    return turn;
  }
}
