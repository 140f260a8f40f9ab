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

import type { TransferListItem } from "node:worker_threads";
import type { CommitToken, EndName, FieldName, Json, MaybePromise, Stored, TypeName, Uid, Value, Vector } from "../ground/values/value.ts";
import type { Metric } from "../ground/values/vector.ts";
import type { Budget } from "./budget.ts";
import type { Change, Link } from "./change.ts";
import type { ChangeRecord, Gap } from "./change-record.ts";
import type { Layout } from "./layout.ts";
import type { Predicate } from "./predicate.ts";

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
}

/**
 * How another thread reads the store that this one has open. There, a storage of the same configuration makes one that reads along:
 *
 *     // This thread.
 *     const { data, transfer } = await storage.readers.admit({ cacheBytes: 64 << 20, revoke: () => worker.terminate() });
 *     const worker = new Worker(file, { workerData: data, transferList: transfer });
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
  readonly transfer: readonly TransferListItem[];
  /** The reader has ended. Called once. */
  leave(): void;
}

/** The files of one state of a store, which holds every commit up to some commit and no part of a later one. */
export interface PinnedFiles {
  /** The state holds this commit, and perhaps later ones. */
  readonly commit: CommitToken;
  readonly files: readonly PinnedFile[];
  /** The files may be deleted. Called exactly once. */
  release(): Promise<void>;
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
  readonly bytes: number;
  /** Set for a file that never changes: two files of one store with the same text here are the same, so that a backup copies them once. */
  readonly sealed?: string;
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

/** The storage's cache. */
export interface StorageCache {
  /** The current bound, in bytes. */
  readonly maxBytes: number;
  /** Sets the bound, in bytes. A smaller bound evicts at once. */
  resize(maxBytes: number): void;
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

/** Links to write at once. Subscribers to changes get a `Gap`. */
export interface LinkLoad {
  /** The layout version that the links were made for. */
  readonly version: number;
  /**
   * In any order; a link may come twice. Both nodes exist, since before the load began or found by a read after that. It is read once, to its end, unless
   * the load fails or is refused.
   */
  readonly links: AsyncIterable<readonly Link[]>;
  /** Asked for when all links are read: metadata to store in the same commit. */
  readonly meta?: () => { readonly name: string; readonly value: Json } | undefined;
  /** Called now and then while links are written. */
  readonly progress?: ((step: MigrationStep) => void) | undefined;
}

/** What a snapshot or a transaction reads, and under which limits. */
export interface ReadOptions {
  /**
   * The layout version (`Deployed.version`) that the request was planned for. When another layout has been deployed since, reads continue
   * under the version given, and writes fail with `STALE_LAYOUT`.
   */
  readonly version: number;
  /** The limits of the request. The storage calls `spend` as it reads and writes. */
  readonly budget?: Budget;
  /** Read-your-writes: the view contains this commit. The storage waits for it, or throws `VIEW_EXPIRED`. */
  readonly after?: CommitToken;
  /** For diagnostics: called with the text of each query that is sent to a database server, in the syntax of its shell. */
  readonly sent?: (query: string) => void;
}

/** A deployed schema. */
export interface Deployed {
  /** Rises with every migration that changes the layout. */
  readonly version: number;
  /** The schema text, exactly as passed to `migrate`. */
  readonly document: string;
}

/** A consistent, read-only view. */
export interface Snapshot {
  /** The commit that this view shows. */
  readonly at: CommitToken;
  /** The nodes of `types` that satisfy `where`, in `order`, cut to `page`. Without an order: by uid, ascending. */
  find(request: FindRequest): MaybePromise<Batch>;
  /** For each of `from`, in that order: the nodes at the other side of `end` that satisfy `where`, in `order`, cut to `page`. */
  follow(request: FollowRequest): MaybePromise<Links>;
  /** The nodes with these uids, in that order and with the same repeats. Unknown uids and nodes of other types are left out. */
  load(request: LoadRequest): MaybePromise<Batch>;
  /** Aggregates over the result of a `find` (one row) or of a `follow` (one row for each of `from`, in that order). */
  aggregate(request: AggregateRequest): MaybePromise<readonly MeasureRow[]>;
  /**
   * The nodes of a `find` in groups of equal keys, with aggregates of each group; the groups in any order. Absent: the kernel reads the nodes and groups
   * them. A storage has it where it can do better, and may group what it must read itself with `Grouping`. Each new group spends `nodesOfGroup` of the budget.
   */
  group?(request: GroupRequest): MaybePromise<readonly Group[]>;
  /** The metadata that the kernel or a plugin stored under `name`; undefined when there are none. */
  meta(name: string): MaybePromise<Json | undefined>;
  /** Releases the view. No other method is called afterwards. */
  close(): void;
}

/** A read-write view. Reads see the transaction's own writes. */
export interface Transaction extends Snapshot {
  /** Allocates `count` uids, ascending. The uids of a transaction that fails are never allocated again. */
  uids(count: number): MaybePromise<readonly Uid[]>;
  /**
   * Protects a decision that depends on these nodes: the commit conflicts, and `work` runs again, when another transaction changes or
   * removes one of them. Required for each node whose state decides what is written; not for a node only because it is linked to, as no link
   * leads to a node that is removed concurrently.
   */
  hold(nodes: readonly NodeRef[]): MaybePromise<void>;
  /**
   * Applies changes to this transaction's view, in order.
   *
   * @throws `KEY_TAKEN` or `END_TAKEN`; `details` names the node that holds the key or the end
   */
  write(changes: readonly Change[]): MaybePromise<void>;
  /** Stores small metadata under `name`. `null` deletes the name. */
  setMeta(name: string, value: Json): MaybePromise<void>;
}

/** A node, by uid and concrete type. */
export interface NodeRef {
  readonly uid: Uid;
  readonly type: TypeName;
}

/**
 * Which nodes to find, and what to return of them:
 *
 *     { types: ["Author"], where: { kind: "has", field: "Author.name" }, page: { first: 10 }, fields: ["Author.name"] }
 */
export interface FindRequest {
  /** Concrete types. */
  readonly types: readonly TypeName[];
  /** By default: all nodes. */
  readonly where?: Predicate;
  /** By default: by uid, ascending. */
  readonly order?: Order;
  /** Returns only rows behind this place of the order, and cuts the page from them. Not with `nearest`, nor with `last`. Only with `Powers.seek`. */
  readonly after?: Place | undefined;
  /** Only the nodes nearest to a vector, nearest first. Not with `order`, nor with `last`. Only with `Powers.nearest`. */
  readonly nearest?: Nearest;
  /** By default: all rows. */
  readonly page?: Page;
  /** The columns to return: stored fields and single ends. */
  readonly fields: readonly (FieldName | EndName)[];
}

/**
 * The nodes whose vectors are nearest to a given one, among those that satisfy the request's `where`:
 *
 *     { types: ["Post"], nearest: { field: "Post.topic", metric: "cosine", vector: Float32Array.of(1, 0), count: 10 }, fields: ["Post.title"] }
 *
 * A candidate is a node whose value is a vector of the same length, at a distance that is a number. A search fails with `VALUE_INVALID` when
 * there are vectors, and only such of another length. Equally distant nodes come by uid. The
 * result has `count` rows when there are as many candidates. A storage may use a `NearestIndex` and then miss a few of the nearest; what it
 * returns satisfies `where`, has its exact distance, and is in order. Without such an index the result is exact.
 */
export interface Nearest {
  readonly field: FieldName;
  readonly metric: Metric;
  readonly vector: Vector;
  /** How many, at most; at least 1. */
  readonly count: number;
  /** Leaves out nodes that are farther away. */
  readonly within?: number | undefined;
  /** How many candidates a search of an index keeps in view, at least 1: more find more of the nearest and take longer. */
  readonly breadth?: number | undefined;
}

/** Which links to follow, and what to return of the nodes that they lead to. */
export interface FollowRequest {
  /** The sources: existing nodes. May contain repeats. */
  readonly from: readonly Uid[];
  /** The end to follow, as the sources see it: `Author.posts`. */
  readonly end: EndName;
  /** Returns only nodes of these concrete types. By default: all types that the end leads to. */
  readonly types?: readonly TypeName[];
  /** Returns only nodes that satisfy it. By default: all. */
  readonly where?: Predicate;
  /** Applies to each source separately. By default: by uid, ascending. */
  readonly order?: Order;
  /** Returns only rows behind this place of the order, of each source. Not with `last`. Only with `Powers.seek`. */
  readonly after?: Place | undefined;
  /** Applies to each source separately. By default: all rows. */
  readonly page?: Page;
  /** The columns to return: stored fields and single ends. */
  readonly fields: readonly (FieldName | EndName)[];
}

/** Which nodes to load by uid, and what to return of them. */
export interface LoadRequest {
  readonly uids: readonly Uid[];
  /** Nodes of other types are left out. */
  readonly types: readonly TypeName[];
  /** The columns to return: stored fields and single ends. */
  readonly fields: readonly (FieldName | EndName)[];
}

/** What to aggregate, over which nodes. */
export interface AggregateRequest {
  readonly over: Omit<FindRequest, "fields" | "order" | "after" | "page"> | Omit<FollowRequest, "fields" | "order" | "after" | "page">;
  readonly measures: readonly Measure[];
}

/**
 * An aggregate function. `count` counts nodes. The others ignore nodes that have no value, and are `undefined` when no node has one:
 *
 * - `min`, `max`: by the order of the field's kind.
 * - `sum`: floats are added in uid order; int64 gives a bigint; int gives a number, which may exceed 32 bits.
 * - `avg`: a number.
 */
export type Measure = { readonly kind: "count" } | { readonly kind: "min" | "max" | "sum" | "avg"; readonly field: FieldName };
/** One result for each measure, in the order of the measures. */
export type MeasureRow = readonly (Value | undefined)[];

/**
 * What to group, by what, and what to compute of each group:
 *
 *     {
 *       over: { types: ["Post"] },
 *       by: [{ field: "Post.author" }, { field: "Post.published", unit: "year" }],
 *       measures: [{ kind: "count" }, { kind: "avg", field: "Post.score" }],
 *     }
 */
export interface GroupRequest {
  readonly over: Omit<FindRequest, "fields" | "order" | "after" | "page" | "nearest">;
  /** At least one; each field once. */
  readonly by: readonly GroupKey[];
  readonly measures: readonly Measure[];
}

/** A field that holds one value, neither a geometry nor a vector; or a single end. */
export interface GroupKey {
  readonly field: FieldName | EndName;
  /** Of a DateTime, in UTC. By default: by instant. */
  readonly unit?: TimeUnit | undefined;
}

/** A calendar unit in UTC. */
export type TimeUnit = "year" | "month" | "day" | "hour";

/** One group: `{ keys: [7, "2031-01-01T00:00:00Z"], measures: [2, 4.5] }`. */
export interface Group {
  /**
   * One for each of `by`. Of a single end the partner's uid; of a DateTime the start of its unit, or the instant, in UTC (`startOfUnit`). Undefined: these
   * nodes have no value, or one that the field's kind cannot represent.
   */
  readonly keys: readonly (Value | undefined)[];
  readonly measures: MeasureRow;
}

/** Sort keys, the most significant first. Nodes without a value come last in both directions; the last tie-breaker is the uid, ascending. */
export type Order = readonly OrderKey[];
/** One sort key. */
export interface OrderKey {
  readonly field: FieldName;
  readonly direction: "asc" | "desc";
  /** A BCP 47 language tag (`de`, `sv`). By default: text sorts by UTF-8 bytes. Only with `Powers.collation`. */
  readonly collation?: string;
}

/**
 * A place in an ordered list: the place of a node with this uid and these values of the order's keys, which need not exist:
 *
 *     // order: [{ field: "Post.score", direction: "desc" }]
 *     { uid: 7, keys: [5] } // before it: higher scores, and score 5 up to uid 7; behind it: all others
 */
export interface Place {
  readonly uid: Uid;
  /** One for each key of the order. Undefined: no value. Lists and geometries have no order: they count as missing. */
  readonly keys: readonly (Stored | undefined)[];
}

/**
 * A slice of the ordered rows: skip `offset` (from 0), then take `first` (at least 1). Or the `last` rows (at least 1), in ascending order;
 * only without an order.
 */
export type Page = { readonly first?: number; readonly offset?: number } | { readonly last: number };

/**
 * Rows in columns. Row `i` is the node `uids[i]` of the type `types[i]`; `columns[c][i]` is its value of the request's `fields[c]`:
 *
 *     // fields: ["Author.name", "Author.editor"]
 *     { uids: [1, 4], types: ["Author", "Author"], columns: [["Ada", undefined], [7, undefined]] }
 */
export interface Batch {
  readonly uids: readonly Uid[];
  /** The concrete type of each row. */
  readonly types: readonly TypeName[];
  /** One column for each requested field. */
  readonly columns: readonly Column[];
  /** The distance of each row, of a request with `nearest`. */
  readonly distances?: readonly number[];
}
/** The values of one field. A single end gives the partner's uid. A node without a value, and a type without the field, give `undefined`. */
export type Column = readonly (Stored | undefined)[];

/**
 * The links of many sources in compressed sparse rows. Source `i` leads to the nodes `rows[starts[i]]` up to, not including,
 * `rows[starts[i + 1]]`:
 *
 *     // The first of two sources leads to the nodes 7 and 9, the second to 9.
 *     { starts: [0, 2, 3], rows: [0, 1, 1], nodes: { uids: [7, 9], types: ["Post", "Post"], columns: [] } }
 */
export interface Links {
  /** One longer than `from`. */
  readonly starts: readonly number[];
  /** Row numbers of `nodes`. */
  readonly rows: readonly number[];
  /** Each node once, even when several sources lead to it. */
  readonly nodes: Batch;
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

/** The result of a dry run of `migrate`. */
export interface LayoutComparison {
  /**
   * What refuses the migration. Each is a sentence that names the place and up to ten offending nodes or pairs. Empty: the migration
   * succeeds, unless concurrent writes add an obstacle.
   */
  readonly obstacles: readonly string[];
  /** What the migration builds, one readable line each: `build index Package.section/hash over 63,436 nodes`. Empty: nothing. */
  readonly work: readonly string[];
}

/** How to migrate. */
export interface MigrateOptions {
  /** Called repeatedly while something is built. */
  readonly progress?: (step: MigrationStep) => void;
  /**
   * Set when `document` is the deployed schema, not a new one. The migration then fails with `STALE_LAYOUT` when another document has been
   * deployed meanwhile.
   *
   * - `start`: this server starts. Builds what its plugins lay out differently from the deployed layout.
   * - `follow`: another server has deployed, or this one starts beside others. Builds nothing, and fails with `MIGRATION_REFUSED` when this
   *   server's layout differs; the message names what differs. Two servers with different plugins would otherwise undo each other's work.
   */
  readonly takeOver?: "start" | "follow";
  /**
   * For a load. True: an index that is not built yet, or whose types have no nodes, may stay unbuilt until `migrate` is called again without it, also at the
   * next start. Writes do not maintain it, change records do not name its entries, and reads scan instead. Only with `Powers.deferredIndexes`; other storages
   * ignore it.
   */
  readonly deferIndexes?: boolean;
  /** Called with what the migration has done beyond the layout, one sentence each: data of others that it has taken in. */
  readonly report?: (sentence: string) => void;
  /** What the schema says of stored fields beyond their layout. A storage that takes in data of others checks them by it. */
  readonly declared?: ReadonlyMap<FieldName, DeclaredField>;
}

/** What the schema says of a stored field beyond its layout. */
export interface DeclaredField {
  /** A node without a value breaks the schema. */
  readonly required: boolean;
  /** The values of its enum; undefined: any value of its kind. */
  readonly values: ReadonlySet<string> | undefined;
}

/** How a store is opened. */
export interface StorageOpenOptions {
  /** Called now and then while a store of an earlier format is upgraded. */
  readonly progress?: ((step: MigrationStep) => void) | undefined;
}

/** The progress of a migration, an upgrade or a check. */
export interface MigrationStep {
  /** What is being built or checked: `index Package.section/hash`. */
  readonly what: string;
  /** Units of work that are done, usually nodes; bytes of files and upgrades. */
  readonly done: number;
  /** All units of work, perhaps an estimate. 0: unknown. */
  readonly total: number;
}

/**
 * What to delete. `all`: nodes, metadata and the deployed schema. `data`: the nodes; metadata and schema stay. `field`: the values of one
 * field, or the links of one end. Uids of deleted nodes are never allocated again.
 */
export type Erase = { readonly kind: "all" } | { readonly kind: "data" } | { readonly kind: "field"; readonly name: FieldName | EndName };

/** How to check a store. */
export interface VerifyOptions {
  /** Rebuilds derived structures (indexes, columns, keys, reverse links, counters) from the records of the nodes. By default: only reports. */
  readonly repair?: boolean;
  /** Called repeatedly during the check. */
  readonly progress?: (step: MigrationStep) => void;
}
/** The size of one part of a store: `{ kind: "index", name: "Author.name/hash", bytes: 4096 }`. */
export interface PartSize {
  /** `nodes`: the nodes with their values. `edge`: links, from both sides. Several parts of a kind may have the same name. */
  readonly kind: "nodes" | "index" | "key" | "edge";
  /** The index, key or edge of the layout; of nodes their type, or empty where all types share the part. */
  readonly name: string;
  readonly bytes: number;
}

/** The result of a check. */
export interface VerifyReport {
  /** How many nodes were checked. */
  readonly nodes: number;
  /** How many links were checked. */
  readonly links: number;
  /** How many index entries were checked. */
  readonly entries: number;
  /** The faults found, at most 1,000 of them. */
  readonly faults: readonly Fault[];
  /** The number of all faults, those not listed included. */
  readonly faultCount: number;
  /** How many faults were repaired. */
  readonly repaired: number;
}
/** An inconsistency in a store. */
export interface Fault {
  /** Which structure is wrong. */
  readonly kind: "index" | "column" | "edge" | "key" | "counter" | "record" | "type" | "file";
  /** A readable sentence that names the place. */
  readonly message: string;
}
