// The contract between the kernel and a database. An adapter implements `Storage`; the kernel calls it and nothing else.
//
// Rules for every method:
// - Results are exact: they match the predicate, are in the requested order, and are cut to the requested page. An adapter never truncates
//   a result silently.
// - Absence is a value (`undefined`, an empty batch), never an error.
// - A `MaybePromise` is returned synchronously when the data are in memory. Long work yields to the event loop.
// - The kernel validates arguments: every name is in the layout, uid lists are distinct and ascend, operands are of the field's kind.
// - Expected errors are `QuernError`s with the codes named here. Anything else is an internal error and ends the request.
//
// `storageConformance` of `quern/conformance` tests an adapter against these rules.

import type { WorkerOptions } from "node:worker_threads";
import type { QuernError } from "../../ground/errors.ts";
import type { CommitToken, EndName, FieldName, MaybePromise } from "../../ground/values/value.ts";
import type { ChangeRecord, Gap } from "../change-record.ts";
import type { Layout } from "../layout.ts";
import type { PartSize, VerifyOptions, VerifyReport } from "./check.ts";
import type { PinnedFiles, StoreReplacement } from "./files.ts";
import type { LayoutComparison, LinkLoad, MigrateOptions, MigrationStep } from "./migration.ts";
import type { ReadOptions, Snapshot, Transaction } from "./snapshot.ts";
import type { StoreTrouble } from "./trouble.ts";

/**
 * A database, as the kernel uses it. The life of a store, from an empty one to the first query:
 *
 *     await storage.open();
 *     const { version } = await storage.migrate(layout, "type Author { name: String }");
 *     const { token } = await storage.transact(
 *       async (transaction) => {
 *         const [uid = 0] = await transaction.uids(1);
 *         await transaction.write([{ kind: "create", uid, type: "Author", fields: { "Author.name": "Ada" } }]);
 *       },
 *       { version },
 *     );
 *     const snapshot = storage.snapshot({ version, after: token });
 *     const batch = await snapshot.find({ types: ["Author"], fields: ["Author.name"] });
 *     // { uids: [1], types: ["Author"], columns: [["Ada"]] }
 *     snapshot.close();
 *     await storage.close();
 */
export interface Storage {
  /** The adapter's name in logs, metrics and plans, one lower-case word: `level`, `mongodb`. */
  readonly name: string;
  /** The path of the folder that only this store uses. Undefined: it keeps no files on this machine. */
  readonly folder?: string | undefined;
  /** The optional capabilities. The kernel works around a missing one; it never probes for methods at run time. */
  readonly supports: Powers;

  /**
   * Opens the store, and creates it when it does not exist. A store of an earlier format is upgraded first.
   *
   * @throws `STORE_LOCKED` when another process has it open, `STORE_UNAVAILABLE` when it cannot be reached, `STORE_CORRUPT` when its
   * files or contents are damaged
   */
  open(options?: StorageOpenOptions): Promise<void>;
  /** Aborts running work, flushes, and releases files and connections. Later calls fail with `STORE_CLOSED` until `open` is called again. */
  close(): Promise<void>;

  /**
   * A consistent view of one commit. It contains every commit that this server has acknowledged, and the commit `options.after`. It does
   * not see later commits. Several calls on one snapshot may run concurrently. The caller closes it exactly once.
   */
  snapshot(options: ReadOptions): Snapshot;

  /**
   * Runs `work` in a read-write transaction and commits its writes atomically. `work` reads its own writes. The promise resolves when the
   * commit is durable, in a later turn of the event loop, so that consecutive writers do not starve readers.
   *
   * `work` may run more than once: the storage repeats it after a conflict. It must have no other side effects, and must await nothing but
   * reads of its own transaction. Keys, links and held nodes are serialisable; other reads have snapshot isolation.
   *
   * @throws `CONFLICT` after too many conflicts, `KEY_TAKEN`, `END_TAKEN`, `STALE_LAYOUT`, `TOO_LARGE`, `STORE_UNAVAILABLE`, or
   * `OUTCOME_UNKNOWN` when the connection broke during the commit. An error that `work` throws is rethrown. Nothing is written in any of
   * these cases, except perhaps with `OUTCOME_UNKNOWN`.
   */
  transact<T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions): Promise<Committed<T>>;

  /**
   * Writes the links of a load: all of them appear in one commit, or none does. For edges that have no links yet, and keys that no link is a part of. Memory
   * does not grow with their number; until the commit, reads and writes go on, and nobody sees a link of the load. It runs alone: migrations and erasures
   * wait for it. A kill before the commit leaves nothing of it that anybody sees.
   *
   *     const isWritten = await storage.loadLinks?.({ links, version });
   *     if (isWritten !== true) await writeInBatches();
   *
   * Absent: the caller writes batches with `transact`, which must give the same links.
   *
   * @returns false, with nothing written: an edge has links already, a link is a part of a key, or others linked by one of these edges or removed a node
   * meanwhile. The caller then writes batches
   * @throws `END_TAKEN` when an end that holds one link would get two, `STALE_LAYOUT`, `STORE_UNAVAILABLE`; what `links` throws is rethrown. Nothing is
   * written in any of these cases
   */
  loadLinks?(load: LinkLoad): Promise<boolean>;

  /**
   * Subscribes to the change feed. `listener` gets each commit after `after` (by default: each commit from now on) exactly once and in commit
   * order, commits of other servers on the same database included. A `Gap` means that records were lost, and that the listener must read
   * the data again. Returns a function that unsubscribes.
   */
  changes(listener: (event: ChangeRecord | Gap) => void, after?: CommitToken): () => void;

  /** The newest commit that this server knows. Other servers may have committed since. */
  latest(): CommitToken;

  /**
   * One page of the names that have metadata (`Transaction.setMeta`) and start with `prefix`, as of the newest commit. Names ascend by UTF-8
   * bytes.
   */
  metaNames(request: MetaNamesRequest): Promise<readonly string[]>;

  /** The deployed schema. Undefined when no schema was ever deployed, or `erase({ kind: "all" })` removed it. */
  deployed(): MaybePromise<Deployed | undefined>;
  /** Calls `listener` when another server has deployed a schema. Returns a function that unsubscribes. */
  deploys(listener: (deployed: Deployed) => void): () => void;
  /** A dry run of `migrate`: what would refuse it, and what it would build. Writes nothing. */
  compare(layout: Layout, options?: Pick<MigrateOptions, "declared">): Promise<LayoutComparison>;
  /**
   * Deploys `layout` and `document`. While new indexes, keys, derived fields and edges are built, reads and writes go on under the old
   * version. Then layout and document switch in one commit. When the migration is interrupted, the old version stays deployed; a repeated
   * call resumes or restarts it. Migrations run one at a time.
   *
   * The kernel calls it at every start with the deployed document, because functions such as tokenizers live in code and cannot be stored.
   * An unchanged layout costs no work.
   *
   * @throws `MIGRATION_REFUSED` with the obstacles as messages; `STALE_LAYOUT` as described at `MigrateOptions.takeOver`
   */
  migrate(layout: Layout, document: string, options?: MigrateOptions): Promise<Deployed>;
  /**
   * Deletes data for good: everything, all nodes, or one field. It waits for running transactions. Values and links that the current layout
   * does not show are deleted too.
   *
   * @throws `REQUEST_INVALID` for a field name that no layout ever had
   */
  erase(what: Erase): Promise<void>;
  /** Checks the integrity of the store: index entries against values in both ways, both directions of edges, keys, and counters. */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /**
   * Checks the files of the store against their checksums. The kernel calls it before `open`. It writes nothing, and `verify` cannot repair
   * what it finds. Absent when the database does this itself or keeps no files.
   */
  verifyFiles?(options?: Pick<VerifyOptions, "progress">): Promise<VerifyReport>;
  /**
   * Keeps the files of one consistent state of the open store readable until `release`, for a backup. Reads and writes go on. A folder with
   * copies of these files is a store. Absent when the database keeps no files of its own on this machine.
   *
   * @throws `STORE_UNAVAILABLE` when the files cannot be read
   */
  pinFiles?(): Promise<PinnedFiles>;
  /** Replaces the files of the store by those of a backup. Absent when the database keeps no files of its own on this machine. */
  readonly replacement?: StoreReplacement;
  /**
   * Sizes and counters for metrics and administrators. A name that ends in `Total` only rises; `nodes.Author` is the number of `Author`
   * nodes, which a storage may estimate where counting would read them all: `nodesEstimated` is 1 then. The administration API shows `nextUid` and `commit`
   * when they are present.
   */
  statistics(): MaybePromise<Readonly<Record<string, number>>>;
  /**
   * How much room the parts of the deployed layout take on disk, for administrators. Estimates, which may leave out what was written last. It costs as much
   * as there are parts, however many nodes they hold. Absent: the storage does not know.
   */
  sizes?(): Promise<readonly PartSize[]>;
  /** The cache, when its size can be changed while the store is open. */
  readonly cache?: StorageCache;
  /** Lets other threads of this process read the open store. Absent: only the thread that opened it reads. */
  readonly readers?: StoreReaders;
  /** Builds the indexes that a load has deferred in another thread, while the load goes on. Absent: the deploy that ends the load builds them. */
  readonly indexThreads?: IndexThreads;
  /**
   * What keeps the open store from serving as it should; undefined: nothing. The storage tries to get over it by itself, as long as it is open. Meanwhile
   * what does not work fails with `STORE_UNAVAILABLE`, or with `STORE_CORRUPT` where the store is damaged.
   */
  readonly trouble?: StoreTrouble | undefined;
}

/**
 * How another thread reads the store that this one has open. There, a storage of the same configuration makes one that reads along:
 *
 *     // This thread.
 *     const { data, transfer } = await storage.readers.admit({ cacheBytes: 64 << 20, revoke: () => worker.terminate() });
 *     const worker = new Worker(file, { workerData: data, transferList: [...transfer] });
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
  readonly transfer: Readonly<NonNullable<WorkerOptions["transferList"]>>;
  /** The reader has ended. Called once. */
  leave(): void;
}

/**
 * How another thread of this process builds the indexes that `migrate` has deferred (`MigrateOptions.deferIndexes`): it reads the nodes of the load along,
 * and this thread writes what it sends. There, a storage of the same configuration runs it:
 *
 *     // This thread, after the migration.
 *     await storage.indexThreads?.begin((data, transfer) => startedThread(new Worker(file, { workerData: data, transferList: [...transfer] })));
 *     // The other one.
 *     await config.storage.indexThreads?.run(workerData, layout);
 */
export interface IndexThreads {
  /**
   * On the thread that has the store open. The migration that ends the load takes the indexes over, if it has the document of the one before; where the
   * thread has failed, or the load has changed many nodes that it had created, it builds them itself.
   *
   * @param start starts the thread
   * @returns false: no index is deferred, and `start` is not called
   */
  begin(start: (data: unknown, transfer: ReaderSeat["transfer"]) => IndexThread): Promise<boolean>;
  /**
   * On the other thread, with a storage that is not open. Resolves when all indexes are written, or when nobody needs them any more.
   *
   * @param layout the one that the first thread has migrated to
   */
  run(data: unknown, layout: Layout): Promise<void>;
}

/** A thread that calls `IndexThreads.run`. */
export interface IndexThread {
  /** Resolves when the thread has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Ends it at once. */
  end(): Promise<void>;
}

/** The optional capabilities of a storage. */
export interface Powers {
  /** True: `changes` delivers `DetailedRecord`s with fields, links and index entries. False: it delivers `CoarseRecord`s. */
  readonly detailedChanges: boolean;
  /** True: predicates may contain `linked`. False: the kernel evaluates each inner `linked` first and replaces it by uids. */
  readonly linked: boolean;
  /** True: an order key may have a `collation`. False: the kernel sorts such rows. */
  readonly collation: boolean;
  /**
   * True: several servers may use the database at a time. A server that starts then builds nothing (`follow`), unless its operator allows it.
   */
  readonly shared?: boolean;
  /**
   * True: each read of a transaction is a round trip to a server. The kernel then leaves out reads without which a write is refused all the same: a new
   * node's keys are looked up only after `KEY_TAKEN`.
   */
  readonly remote?: boolean;
  /** True: `find` and `follow` take `after`. False or absent: the kernel adds comparisons with the same meaning to `where` (`afterPlace`). */
  readonly seek?: boolean;
  /** True: `find` takes `nearest`, and `NearestIndex`es make it fast. False or absent: the kernel scans all candidates, and the indexes are ignored. */
  readonly nearest?: boolean;
  /** True: `migrate` takes `deferIndexes`, which makes loads faster. */
  readonly deferredIndexes?: boolean;
}

/** The storage's cache. */
export interface StorageCache {
  /** The current bound, in bytes. */
  readonly maxBytes: number;
  /** Sets the bound, in bytes. A smaller bound evicts at once. */
  resize(maxBytes: number): void;
}

/** Which page of metadata names to list. */
export interface MetaNamesRequest {
  /** Only names that start with this text. */
  readonly prefix: string;
  /** Only names after this one. By default: from the first. */
  readonly after?: string;
  /** The size of the page, at least 1. */
  readonly first: number;
}

/** How a store is opened. */
export interface StorageOpenOptions {
  /** Called now and then while a store of an earlier format is upgraded. */
  readonly progress?: ((step: MigrationStep) => void) | undefined;
  /**
   * Called when `Storage.trouble` changes, as far as the storage notices by itself.
   *
   * @param trouble undefined: it is over
   * @param fault the error with which reads and writes fail from now on, for the log
   */
  readonly troubled?: ((trouble: StoreTrouble | undefined, fault?: QuernError) => void) | undefined;
}

/** A deployed schema. */
export interface Deployed {
  /** Rises with every migration that changes the layout. */
  readonly version: number;
  /** The schema text, exactly as passed to `migrate`. */
  readonly document: string;
}

/** A committed transaction. */
export interface Committed<T> {
  /** What `work` returned in the run that was committed. */
  readonly result: T;
  /** The commit; pass it as `ReadOptions.after` to read one's own writes. */
  readonly token: CommitToken;
  /**
   * A view of the data as this commit left them, without later ones: a storage has it where it shows what the transaction wrote without reading it again.
   * Takes no `after`.
   */
  readonly snapshot?: (options: ReadOptions) => Snapshot;
  /** Undefined when nothing has changed. Writing the value that a field has, or a link that exists, is no change. */
  readonly record?: ChangeRecord;
}

/**
 * What to delete. `all`: nodes, metadata and the deployed schema. `data`: the nodes; metadata and schema stay. `field`: the values of one
 * field, or the links of one end. Uids of deleted nodes are never allocated again.
 */
export type Erase = { readonly kind: "all" } | { readonly kind: "data" } | { readonly kind: "field"; readonly name: FieldName | EndName };
