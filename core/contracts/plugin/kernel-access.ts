// The running kernel, as a plugin uses it outside the hooks of a request: in the paths that it answers and in work of its own.

import type { Limits } from "../../ground/limits.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { ChangeRecord, Gap } from "../change-record.ts";
import type { Layout } from "../layout.ts";
import type { LogFacts } from "../logger.ts";
import type { Model } from "../model.ts";
import type { Snapshot, Transaction } from "../storage/snapshot.ts";
import type { Committed, MetaNamesRequest } from "../storage/storage.ts";
import type { ExecuteAnswer, ExecuteRequest } from "./execute.ts";
import type { FieldFilter } from "./field-filter.ts";
import type { SettingLine } from "./model-context.ts";
import type { Permissions } from "./permissions.ts";
import type { RequestView } from "./request-view.ts";
import type { WriteOptions, WriteTransaction } from "./write-transaction.ts";

/**
 * Counts authors on one snapshot:
 *
 *     const { served } = kernel;
 *     const author = served?.model.nodeTypes.get("Author");
 *     if (author === undefined) return 0;
 *     const snapshot = kernel.snapshot();
 *     try {
 *       return (await snapshot.find({ types: [author.stored], fields: [] })).uids.length;
 *     } finally {
 *       snapshot.close();
 *     }
 */
export interface KernelAccess {
  /** The schema that is served now. Undefined: none is deployed, or the kernel is not open. Read it anew for each piece of work. */
  readonly served: ServedSchema | undefined;
  /** The limits of requests, which paths of plugins keep too. */
  readonly limits: Limits;
  /** A view of the newest commit, under the limits of one request. It shows every node as it is stored: no rule narrows it. The caller closes it. */
  snapshot(options?: AccessOptions): Snapshot;
  /**
   * Runs `work` in a transaction, as `Storage.transact` does. Its writes reach no hook of any plugin: write only types that your plugin has
   * added to the layout (`Hooks.layout`, `DirectivePlugin.stores`), and metadata. When `work` waits for something other than the transaction for longer than
   * `limits.hookMs`, it is undone and rejects with the code `PLUGIN_TIMEOUT`.
   *
   * `work` may run several times. On a store with one writer, as LevelDB is, all other writes wait for it: hash passwords and ask other services before. One
   * that spends more than 100 ms outside the store is logged.
   */
  transact<T>(work: (transaction: Transaction) => MaybePromise<T>, options?: AccessOptions): Promise<Committed<T>>;
  /**
   * Runs `work` in a transaction whose writes go through the hooks of all plugins, for a client that sends these headers: a path that answers a language in which
   * clients write. The limits of a mutation apply. Rejects with the QuernError that refuses the client, or that `work` throws.
   */
  write<T>(options: WriteOptions, work: (tx: WriteTransaction) => MaybePromise<T>): Promise<Committed<T>>;
  /** Subscribes to commits, those of other servers on the database included, as `Storage.changes` does. Returns a function that unsubscribes. */
  changes(listener: (event: ChangeRecord | Gap) => void): () => void;
  /** One page of the names that have metadata, as `Storage.metaNames` lists them. */
  metaNames(request: MetaNamesRequest): Promise<readonly string[]>;
  /** Runs every live query again: what callers may see depends on something that no change record shows. Results that stay equal are not sent. */
  rerunLiveQueries(): void;
  /**
   * Identifies callers of subscriptions again, at once: the `request` hooks of all plugins are called for them. A subscription ends with
   * `SUBSCRIPTION_EXPIRED` when a hook refuses its caller, or when the facts are no longer those with which it began: its client subscribes again, as whom it
   * is now. For sessions that are revoked:
   *
   *     kernel.recheckCallers(({ facts }) => facts.session === id);
   *
   * It reaches the subscriptions of this server. Where several share a database, each calls it when `changes` tells of the commit that revoked the session.
   *
   * @param which whose subscriptions; default: all
   */
  recheckCallers(which?: (request: RequestView) => boolean): void;
  /**
   * Who a client is that sends these headers, as the hooks `admit`, `request` and `caller` say. Rejects with the QuernError that refuses it. For paths that a client
   * uses beside the API, such as uploads:
   *
   *     const { name = caller } = await kernel.identify(headers);
   */
  identify(headers: Readonly<Record<string, string | undefined>>): MaybePromise<IdentifiedClient>;
  /**
   * What a client that sends these headers may read and write; undefined: everything. Rejects with the QuernError of a `permissions` hook that refuses
   * it. A path that reads snapshots for callers who are no administrators must apply it.
   */
  permissions(headers: Readonly<Record<string, string | undefined>>): MaybePromise<Permissions | undefined>;
  /**
   * `snapshot`, of which a path shows an answer outside rules to a client that sends these headers: as `RootContext.outsideRules`. Closing it closes `snapshot`.
   * Rejects with the QuernError that refuses the client, when rules apply.
   */
  outsideRules(snapshot: Snapshot, headers: Readonly<Record<string, string | undefined>>): MaybePromise<Snapshot>;
  /**
   * Executes a request as a client that sends these headers, or as the system. Never rejects for an error that the client would get: it is in `errors`.
   */
  execute(request: AccessRequest): MaybePromise<ExecuteAnswer>;
  readonly log: PluginLog;
}

/** A client, as plugins have identified it. */
export interface IdentifiedClient {
  /** With the facts of all `request` hooks. */
  readonly request: RequestView;
  /** Its name (`Hooks.caller`). Undefined: no plugin knows one. */
  readonly name: string | undefined;
}

/** The deployed schema, for plugins. It never changes: another deployment is another object. */
export interface ServedSchema {
  /** The layout version. It rises with each change of the layout. */
  readonly version: number;
  /** The text as deployed. */
  readonly document: string;
  /** One object for each deployment: a key to cache by. */
  readonly model: Model;
  /** What the storage keeps for it. */
  readonly layout: Layout;
  /** Origins of the `# Service.Allow-Origin` lines, whose pages may ask; empty: pages of any origin may. */
  readonly settings: { readonly allowedOrigins: readonly string[] };
  /** The filters that plugins give to fields. */
  readonly filters: readonly FieldFilter[];
  /** The configuration comments that plugins read, by keyword, as `ModelContext.settings` gives them. */
  readonly lines: ReadonlyMap<string, readonly SettingLine[]>;
}

/** Whose work it is. */
export interface AccessOptions {
  /** Calls its listener when the client no longer waits. The work then ends with `CANCELLED`. */
  readonly onGone?: ((listener: () => void) => void) | undefined;
}

/**
 * A GraphQL request on behalf of a client:
 *
 *     const { data } = await kernel.execute({ query: "{ queryAuthor { name } }", headers: { authorization: request.headers.authorization } });
 *
 * Or on behalf of the application: `as: "system"` leaves out everybody's restrictions, those of `request` hooks included, whatever the headers are.
 *
 *     const add = "mutation ($email: String!) { addUser(input: [{ email: $email }]) { user { id } } }";
 *     const { data, errors } = await kernel.execute({ query: add, variables: { email }, as: "system" });
 *
 * A question in another language than GraphQL is refused.
 */
export interface AccessRequest extends Omit<ExecuteRequest, "headers" | "language">, AccessOptions {
  /** By lower-case name: `{ authorization: "Bearer ..." }`. Default: none: the request of a client without a token. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/**
 * The kernel's log. Entries name the plugin. Never pass a token, a value of a variable or a secret.
 *
 *     kernel.log.warn("webhook_given_up", "A webhook's receiver did not answer in time.", { type: "Author", attempts: 12 });
 */
export interface PluginLog {
  /** @param event a stable word for programs, `message` a line for people */
  info(event: string, message: string, facts?: LogFacts): void;
  /** As `info`, for what an operator should look at. */
  warn(event: string, message: string, facts?: LogFacts): void;
  /** Logs an unexpected error with its stack. */
  fault(thrown: unknown): void;
}
