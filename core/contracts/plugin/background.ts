// Work that a plugin does while its schema is served, beside requests: delivering an outbox, refreshing a cache, deleting what has expired.
// The kernel starts it after a deploy and at a start of the server, and ends it before the schema is replaced or the store closes.

import type { MaybePromise, Stored } from "../../ground/values/value.ts";
import type { ChangeRecord, Gap } from "../change-record.ts";
import type { LogFacts, LogLevel } from "../logger.ts";
import type { ValueField } from "../model.ts";
import type { Predicate } from "../predicate.ts";
import type { Snapshot, Transaction } from "../storage/snapshot.ts";
import type { Committed } from "../storage/storage.ts";
import type { ExecuteAnswer, ExecuteRequest } from "./execute.ts";

/**
 * A task of a plugin. One that deletes entries of a hidden type which are older than an hour:
 *
 *     {
 *       name: "expiry",
 *       runs: "once",
 *       async run({ signal, transact }) {
 *         for await (const _ of setInterval(60_000, undefined, { signal })) {
 *           await transact(async (transaction) => {
 *             const old = { kind: "compare", field: "cache.Entry.at", op: "lt", operands: [Date.now() - 3_600_000] } as const;
 *             const { uids } = await transaction.find({ types: ["cache.Entry"], where: old, page: { first: 1_000 }, fields: [] });
 *             await transaction.write(uids.map((uid) => ({ kind: "remove", uid, type: "cache.Entry" })));
 *           });
 *         }
 *       },
 *     }
 */
export interface BackgroundTask {
  /** Unique within the plugin: `outbox`. Log entries and the lease are named after plugin and task. */
  readonly name: string;
  /**
   * On which of the servers that share the store it runs. `everywhere`: on each. `once`: on one at a time, which holds a lease in the store; when
   * that server ends, or shows no sign of life for `leaseMs`, another one takes over.
   */
  readonly runs: "everywhere" | "once";
  /** Default: 15,000. A server renews its lease three times as often. */
  readonly leaseMs?: number;
  /**
   * Does the work until `signal` is aborted, or returns when there is nothing left to do. When it throws, the error is logged and it is called
   * again after a pause that grows to 30 seconds.
   */
  readonly run: (context: BackgroundContext) => MaybePromise<void>;
}

/** What a task may use. Each member works until `signal` is aborted. */
export interface BackgroundContext {
  /**
   * Aborted when the work must end: another schema is served, the kernel closes, or another server has the lease. The kernel waits for the end of
   * `run`, at most `limits.closeMs`, five seconds by default.
   */
  readonly signal: AbortSignal;
  /** A view of the newest commit, without restrictions. The caller closes it. */
  snapshot(): Snapshot;
  /**
   * Runs `work` as `Storage.transact` does. It may write nodes of hidden types (`LayoutAdditions.types`). Nodes of the schema are written by
   * mutations (`execute`), so that the hooks of all plugins apply. On a store with one writer, as LevelDB is, all other writes wait for it: one that spends more
   * than 100 ms outside the store is logged.
   *
   * @throws `CANCELLED` when another server has the lease; nothing is written then. Rejects with the code `PLUGIN_TIMEOUT` when `work` waits for something other
   * than its transaction for longer than `limits.hookMs`
   */
  transact<T>(work: (transaction: Transaction) => MaybePromise<T>): Promise<Committed<T>>;
  /**
   * Stores other values in the place of those that a field has, in slices of a few hundred nodes, each a transaction: as for a new key of encryption. Others read and
   * write meanwhile. The slices that are written stay written: call it again after an interruption, with a `where` that the rewritten nodes no longer satisfy.
   *
   *     const where = { kind: "lookup", index: "Note.text/key", match: "any", tokens: ["former-key"] } as const;
   *     await rewrite({ field: note, where, value: (stored) => encrypt(decrypt(String(stored))) });
   *
   * The field is one of the plugin's own `Hooks.shown`: callers get the same value before and after, so no hook of a mutation runs. Change records have the field, so
   * live queries that show it run again; they send nothing, because their results are equal.
   *
   * @throws `CANCELLED` when another server has the lease; the reason of `signal` when it is aborted. What `value` throws ends the pass before its slice is written
   */
  rewrite(pass: RewritePass): Promise<Rewritten>;
  /** Calls `listener` for each commit from now on, those of other servers included, until the work ends. */
  changes(listener: (event: ChangeRecord | Gap) => void): void;
  /** Runs a GraphQL request, as a caller with its `headers` (default: none) or as the system. Never rejects for an error that a client would get: it is in `errors`. */
  execute(request: ExecuteRequest): Promise<ExecuteAnswer>;
  /** Writes a log entry with the event `plugin` and the names of plugin and task. */
  log(level: LogLevel, message: string, facts?: LogFacts): void;
  /** Adds a gauge to the metrics until the work ends. A name in camelCase; one that ends in `Total` is a counter: it never decreases. */
  gauge(name: string, read: () => number): void;
}

/** A pass over the values of one field. */
export interface RewritePass {
  /** Its values of all types of which the plugin shows it. */
  readonly field: ValueField;
  /** Only nodes that satisfy it, such as by an index over the field. By default all that have a value. */
  readonly where?: Predicate;
  /**
   * What is stored from now on; undefined: the value stays. It must fit the field. Called before the transaction, so it may be slow; and again for a value that a
   * mutation has changed meanwhile, so give undefined for what needs no change.
   */
  readonly value: (stored: Stored) => MaybePromise<Stored | undefined>;
}

/** What a pass has done. */
export interface Rewritten {
  /** Values that it has looked at. */
  readonly read: number;
  /** Values in whose place it has stored others. */
  readonly rewritten: number;
}
