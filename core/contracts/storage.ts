// What the kernel asks of a database.
//
// Promises that hold for every method:
// - Exact: what comes back matches, is in order, is cut. Nothing is capped in silence.
// - Absence is a value (`undefined`, an empty batch), never an error.
// - At once or as a promise: what is at hand is answered at once; long work lets others run between.
// - Arguments arrive checked: names are in the layout, uid sets ascend, operands are of the field's kind.
// - Errors are `QuernError`s with the codes named here; anything else is a fault and ends the request.

import type { CommitToken, EndName, FieldName, Json, MaybePromise, Stored, TypeName, Uid, Value } from "../ground/values/value.ts";
import type { Budget } from "./budget.ts";
import type { Change } from "./change.ts";
import type { ChangeRecord, Gap } from "./change-record.ts";
import type { Layout } from "./layout.ts";
import type { Predicate } from "./predicate.ts";

export interface Storage {
  /** A word for logs and plans: `level`, `mongodb`. */
  readonly name: string;
  /** The folder that is the store's alone. Undefined: it has none on this machine. */
  readonly folder?: string | undefined;
  /** Optional powers. The kernel plans around a missing one and looks at nothing else. */
  readonly supports: Powers;

  /** Opens what is there or makes it new. Errors: `STORE_LOCKED`, `STORE_UNAVAILABLE`, `STORE_CORRUPT`. */
  open(): Promise<void>;
  /** Ends running work, flushes, releases. After it every call fails with `STORE_CLOSED`; open may be called again. */
  close(): Promise<void>;

  /**
   * A fixed view: it holds every commit this server has acknowledged (and that of `options.after`), and sees no later one.
   * Calls on it may overlap. The caller closes it, once.
   */
  snapshot(options: ReadOptions): Snapshot;

  /**
   * Runs `work` on a view that sees its own writes, then applies all of them or none. Resolves when they are durable, in a later turn of
   * the event loop: writers that follow each other leave turns to others.
   * `work` awaits nothing but reads of its own transaction, and may run again after a lost race: it has no other effect.
   * Keys, links and held nodes are serialisable; other reads a snapshot.
   * Errors: `CONFLICT` (races lost too often), `KEY_TAKEN`, `END_TAKEN`, `STALE_LAYOUT`, `TOO_LARGE`, `STORE_UNAVAILABLE`,
   * `OUTCOME_UNKNOWN`; and whatever `work` throws, then nothing is applied.
   */
  transact<T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions): Promise<Committed<T>>;

  /**
   * Calls `listener` with each commit after `after` (by default: from now on), in commit order, each once, also those of other
   * servers on the same database. A gap says that records are lost: read again. Returns how to stop.
   */
  changes(listener: (event: ChangeRecord | Gap) => void, after?: CommitToken): () => void;

  /** The newest commit this server knows. */
  latest(): CommitToken;

  /**
   * Names that start with `prefix` and under which JSON is kept (`setMeta`), as of the newest commit: those after `after`, ascending, at most
   * `first`.
   */
  metaNames(request: MetaNamesRequest): Promise<readonly string[]>;

  /** What is deployed; undefined on a store that never had a schema (or lost it to `erase({kind: "all"})`). */
  deployed(): MaybePromise<Deployed | undefined>;
  /** Calls `listener` when another server has deployed. Returns how to stop. */
  deploys(listener: (deployed: Deployed) => void): () => void;
  /** What `migrate` would meet: obstacles refuse it, work says what it builds. Changes nothing. */
  compare(layout: Layout): Promise<LayoutComparison>;
  /**
   * Makes `layout` and `document` the deployed ones. Reads and writes go on under the old version while new indexes, keys, derived
   * fields and edges are built beside it; then layout and document switch as one commit. Every start hands in the layout again with
   * the deployed document: functions live in code. The same layout costs no work. Interrupted, the old stays; a repeat goes on or starts over.
   * Migrations run one after another. Errors: `MIGRATION_REFUSED` with the obstacles as messages.
   */
  migrate(layout: Layout, document: string, options?: MigrateOptions): Promise<Deployed>;
  /**
   * Forgets data, or all, or one field's values or the links that an end would take along, those that the layout does not show
   * included. Waits for running transactions. Errors: `REQUEST_INVALID` for a name that no layout ever had.
   */
  erase(what: Erase): Promise<void>;
  /** Checks everything against everything: index entries and values both ways, both directions of edges, keys, counters. */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /**
   * Verifies the files of a storage that keeps files, with the checksums in them. Called before `open`; changes nothing. What it finds,
   * `verify` cannot repair. Absent where the database does this itself.
   */
  verifyFiles?(options?: Pick<VerifyOptions, "progress">): Promise<VerifyReport>;
  /** Sizes and counters for people and metrics. `nextUid` and `commit`, where they are there, are told to administrators. */
  statistics(): MaybePromise<Readonly<Record<string, number>>>;
  /** Absent where there is no cache whose bound can be moved while the storage is open. */
  readonly cache?: StorageCache;
}

export interface MetaNamesRequest {
  readonly prefix: string;
  readonly after?: string;
  /** Positive. */
  readonly first: number;
}

export interface StorageCache {
  readonly maxBytes: number;
  resize(maxBytes: number): void;
}

export interface Powers {
  /** `changes` tells of fields, links and index entries; false: only of types, fields and ends. */
  readonly detailedChanges: boolean;
  /** `linked` inside a predicate. Without it the kernel turns an inner `linked` into uids. */
  readonly linked: boolean;
  /** `collation` in an order. Without it the kernel sorts. */
  readonly collation: boolean;
}

export interface ReadOptions {
  /** The version of the layout that the request was planned for; another one deployed since: reads go on under theirs, writes fail with `STALE_LAYOUT`. */
  readonly version: number;
  readonly budget?: Budget;
  /** The view must hold this commit; waits for it, or `VIEW_EXPIRED`. */
  readonly after?: CommitToken;
  /** For people: hears of each query that goes to a server, as its own shell would take it. A storage without a server says nothing. */
  readonly sent?: (query: string) => void;
}

/** What is deployed. `version` rises with every migration that changes the layout. */
export interface Deployed {
  readonly version: number;
  /** The schema text exactly as given to `migrate`. */
  readonly document: string;
}

export interface Snapshot {
  /** The commit that this view shows. */
  readonly at: CommitToken;
  /** The nodes of `types` that satisfy `where`. Without an order by uid, ascending. */
  find(request: FindRequest): MaybePromise<Batch>;
  /** For each of `from`, in its order, the nodes at the other side of `end`. */
  follow(request: FollowRequest): MaybePromise<Links>;
  /** The nodes asked for, in the order asked, each as often as asked; unknown ones and those of no listed type are left out. */
  load(request: LoadRequest): MaybePromise<Batch>;
  /** Measures over what a `find` or a `follow` would give: one row, or one for each of `from`. */
  aggregate(request: AggregateRequest): MaybePromise<readonly MeasureRow[]>;
  /** Small JSON the kernel and plugins keep under a name. */
  meta(name: string): MaybePromise<Json | undefined>;
  close(): void;
}

export interface Transaction extends Snapshot {
  /** The next `count` uids, ascending. Uids of a transaction that fails are not given again. */
  uids(count: number): MaybePromise<readonly Uid[]>;
  /**
   * Makes this commit fail (and `work` run again) if another changes or removes one of these nodes meanwhile. Whoever links to a node, or decides
   * by what it is, holds it.
   */
  hold(nodes: readonly NodeRef[]): MaybePromise<void>;
  /** Applies changes, in order, to this transaction's view. Errors: `KEY_TAKEN`, `END_TAKEN`, each naming the holder in `details`. */
  write(changes: readonly Change[]): MaybePromise<void>;
  /** null forgets the name. */
  setMeta(name: string, value: Json): MaybePromise<void>;
}

/** A node and its concrete type. */
export interface NodeRef {
  readonly uid: Uid;
  readonly type: TypeName;
}

export interface FindRequest {
  readonly types: readonly TypeName[];
  readonly where?: Predicate;
  readonly order?: Order;
  readonly page?: Page;
  /** Columns wanted: stored fields and single ends. */
  readonly fields: readonly (FieldName | EndName)[];
}

export interface FollowRequest {
  /** Nodes that are there. May repeat. */
  readonly from: readonly Uid[];
  readonly end: EndName;
  /** By default the end's partners; fewer types see fewer nodes. */
  readonly types?: readonly TypeName[];
  readonly where?: Predicate;
  /** Order and page apply for each source by itself. Without an order by uid, ascending. */
  readonly order?: Order;
  readonly page?: Page;
  readonly fields: readonly (FieldName | EndName)[];
}

export interface LoadRequest {
  readonly uids: readonly Uid[];
  /** The types the nodes may be of. */
  readonly types: readonly TypeName[];
  readonly fields: readonly (FieldName | EndName)[];
}

export interface AggregateRequest {
  readonly over: Omit<FindRequest, "fields" | "order" | "page"> | Omit<FollowRequest, "fields" | "order" | "page">;
  readonly measures: readonly Measure[];
}

/**
 * `count` counts nodes. The others look at nodes that have a value: `min` and `max` by the kind's order, `sum` of numbers (floats
 * added in uid order, int64 as bigint, int as number beyond 32 bits), `avg` a number. Nothing to look at gives `undefined`.
 */
export type Measure = { readonly kind: "count" } | { readonly kind: "min" | "max" | "sum" | "avg"; readonly field: FieldName };
/** Aligned with the measures. */
export type MeasureRow = readonly (Value | undefined)[];

/** Missing values come last in both directions; ties are broken by the next key, at the end by uid ascending. */
export type Order = readonly OrderKey[];
export interface OrderKey {
  readonly field: FieldName;
  readonly direction: "asc" | "desc";
  /** A BCP 47 language tag; by default text orders by UTF-8 bytes. */
  readonly collation?: string;
}

/** A cut of the ordered list, or (only without an order) its last nodes, ascending. All counts are positive, `offset` may be 0. */
export type Page = { readonly first?: number; readonly offset?: number } | { readonly last: number };

/** Rows side by side: `uids[i]` is of type `types[i]` and holds `columns[c][i]` in field `fields[c]` of the request. */
export interface Batch {
  readonly uids: readonly Uid[];
  readonly types: readonly TypeName[];
  /** One for each field asked for. A single end gives the partner's uid. A type without the field gives `undefined`. */
  readonly columns: readonly Column[];
}
export type Column = readonly (Stored | undefined)[];

/** Links of many sources at once: source `i` leads to the rows `rows[starts[i]]` up to before `rows[starts[i + 1]]` of `nodes`. */
export interface Links {
  /** One longer than `from`. */
  readonly starts: readonly number[];
  readonly rows: readonly number[];
  /** Each node once, whatever the number of sources that lead to it. */
  readonly nodes: Batch;
}

export interface Committed<T> {
  readonly result: T;
  readonly token: CommitToken;
  /** Undefined when nothing has changed: a value set to what it is, and a link that is there, are no changes. */
  readonly record?: ChangeRecord;
}

export interface LayoutComparison {
  /** Each a sentence that names the place and up to ten offending nodes or pairs. Empty: `migrate` would go through, if no write interferes. */
  readonly obstacles: readonly string[];
  /** Each a line for people: `build index Package.section/hash over 63,436 nodes`. Empty: nothing to build. */
  readonly work: readonly string[];
}

export interface MigrateOptions {
  /** Called now and then while something is built. */
  readonly progress?: (step: MigrationStep) => void;
  /**
   * The document is taken over from what is deployed: when that is another by now, nothing is done, and `STALE_LAYOUT` is the error.
   * `start` builds what this server's plugins want otherwise; `follow` builds nothing, and refuses a layout that is not the deployed
   * one: two servers with different plugins would undo each other's work.
   */
  readonly takeOver?: "start" | "follow";
}
export interface MigrationStep {
  /** `index Package.section/hash` */
  readonly what: string;
  readonly done: number;
  /** 0: not known. */
  readonly total: number;
}

export type Erase = { readonly kind: "all" } | { readonly kind: "data" } | { readonly kind: "field"; readonly name: FieldName | EndName };

export interface VerifyOptions {
  /** Mends derived things (indexes, columns, keys, reverse lists, counters) from the records, which are the truth. */
  readonly repair?: boolean;
  readonly progress?: (step: MigrationStep) => void;
}
export interface VerifyReport {
  readonly nodes: number;
  readonly links: number;
  readonly entries: number;
  /** At most 1,000 are listed; `faultCount` counts all. */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
  readonly repaired: number;
}
export interface Fault {
  readonly kind: "index" | "column" | "edge" | "key" | "counter" | "record" | "type" | "file";
  readonly message: string;
}
