// The kernel as transports and embedding applications see it: one storage, a list of plugins and the deployed schema.

import type { KernelConfig } from "./config/config.ts";
import type { KernelObserver } from "./contracts/kernel-observer.ts";
import type { IdentifiedClient } from "./contracts/plugin/kernel-access.ts";
import type { LiveReport } from "./contracts/plugin/live-engine.ts";
import type { Permissions } from "./contracts/plugin/permissions.ts";
import type { RequestView } from "./contracts/plugin/request-view.ts";
import type { WriteOptions, WriteTransaction } from "./contracts/plugin/write-transaction.ts";
import type { Snapshot } from "./contracts/storage/snapshot.ts";
import type { Committed, Erase, Storage } from "./contracts/storage/storage.ts";
import type { StoreTrouble } from "./contracts/storage/trouble.ts";
import type { Unsent } from "./contracts/transport.ts";
import type { QuernError } from "./ground/errors.ts";
import type { Limits } from "./ground/limits.ts";
import type { MaybePromise } from "./ground/values/value.ts";
import type { GraphQLAnswer, GraphQLRequest } from "./request/caller/request.ts";
import type { DeployComparison } from "./schema/deployment/compare-deployment.ts";
import type { PastDeploy } from "./schema/deployment/deploy-history.ts";
import type { Deployment, StoredLayout } from "./schema/deployment/deployment.ts";
import type { DeployOptions, OpenOptions, ValidateOptions } from "./schema/deployment/options.ts";
import type { LiveAnswer } from "./subscriptions/iterate.ts";
import type { LiveRequest, Subscription, SubscriptionObserver } from "./subscriptions/live.ts";
import type { Gauges } from "./telemetry/gauges.ts";
import type { Log } from "./telemetry/log.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

/** A deployed schema over one store, without a network. */
export interface Kernel {
  /** The configuration that `createKernel` received. */
  readonly config: KernelConfig;
  /** The storage of the configuration. */
  readonly storage: Storage;
  /** All limits, with their defaults. */
  readonly limits: Limits;
  /** The log of the configuration. */
  readonly log: Log;
  /** Logs and counts operations as they end. */
  readonly telemetry: Telemetry;
  /** False while the kernel opens or closes. */
  readonly ready: boolean;
  /** `Storage.trouble`, or why the store is not open since `reopen` failed; undefined: the store serves, or nobody has opened it. */
  readonly trouble: StoreTrouble | undefined;
  /** Current values that parts of the kernel report. Adapters may add their own; metrics expose all of them. */
  readonly gauges: Gauges;
  /** Counts the bytes that transports hold for clients. */
  readonly unsent: Unsent;
  /** The deployment that is served now; undefined before the first deploy. */
  readonly deployment: Deployment | undefined;
  /**
   * The layout of the store, for snapshots and transactions beside requests: that of `deployment`, or before the first deploy what plugins store all the same
   * (`DirectivePlugin.stores`). Undefined: nothing is laid out, and the version to read under is 0.
   */
  readonly stored: StoredLayout | undefined;
  /** Increases by one with each change of the served schema, after the new API answers. */
  readonly schemaUpdateCounter: number;
  /**
   * Opens the storage and serves the schema that was deployed last. If it fails, everything is closed again and a new call may try again.
   * Does nothing if the kernel is open; waits if the kernel is closing. Errors: those of `Storage.open`; `PLUGIN_MISSING` if the deployed
   * schema uses directives whose plugins are not installed; `MIGRATION_REFUSED` if other servers may share the database and these plugins lay
   * the schema out in another way (`OpenOptions.replaceLayout`).
   */
  open(options?: OpenOptions): Promise<void>;
  /**
   * Lets running requests finish, then closes the plugins and the storage concurrently. If a plugin's `close` hook throws, this rejects with
   * `INTERNAL` after the store is closed. Plugins keep it waiting for twice `limits.closeMs` at most: requests and deploys that wait for a hook for longer fail with
   * `PLUGIN_TIMEOUT`, then `close` hooks are left alone. Does nothing if the kernel is closed; waits if the kernel is opening.
   */
  close(): Promise<void>;
  /**
   * Closes the kernel and opens it again, as one step between other calls of `open` and `close`: the store may have been replaced meanwhile. Clients are
   * disconnected as by `close`. Does nothing if the kernel is closed.
   *
   * @param recover runs when the kernel does not open; then it is opened once more. The call rejects with the first failure all the same. Where this fails
   * too, the kernel tries both again until it is open or somebody closes it; `trouble` says why it is not
   */
  reopen(recover: () => Promise<void>): Promise<void>;
  /** Runs one GraphQL request. Never throws or rejects: the answer contains the errors. */
  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer>;
  /**
   * Sends results to `subscriber`. A subscription sends the first result at once and another one after each change of its data; a query or
   * mutation sends its single result. Never throws, and calls `subscriber` only after it has returned.
   */
  subscribe(request: LiveRequest, subscriber: SubscriptionObserver): Subscription;
  /**
   * The results of a subscription as an async iterator: `for await (const { data } of kernel.live({ query }))`. A slow consumer may miss
   * intermediate states, but always receives the last one. Continues after a deploy; ends when the kernel closes. Throws the error that refuses
   * or ends the subscription, draining included.
   */
  live<Data = Readonly<Record<string, unknown>>>(request: LiveRequest): AsyncIterableIterator<LiveAnswer<Data>>;
  /** Who a client is that sends these headers, as `KernelAccess.identify`. Errors: those of the hooks that refuse it. */
  identify(headers: Readonly<Record<string, string | undefined>>): MaybePromise<IdentifiedClient>;
  /**
   * What a client that sends these headers may read and write (`Hooks.permissions`); undefined: everything. Errors: those of the hooks that refuse
   * the client.
   */
  permissions(headers: Readonly<Record<string, string | undefined>>): MaybePromise<Permissions | undefined>;
  /**
   * `snapshot` for an answer outside rules to a client that sends these headers, as `RootContext.outsideRules` of plugins. Errors: those that refuse the client,
   * when rules apply.
   */
  outsideRules(snapshot: Snapshot, headers: Readonly<Record<string, string | undefined>>): MaybePromise<Snapshot>;
  /** Writes nodes for a client, through the hooks of all plugins, as `KernelAccess.write`. */
  write<T>(options: WriteOptions, work: (tx: WriteTransaction) => MaybePromise<T>): Promise<Committed<T>>;
  /** What runs for the subscriptions, the queries with the most of them first. @param most how many queries are listed */
  liveReport(most: number): LiveReport;
  /**
   * Identifies the callers of subscriptions again and ends those who are refused, or others now (`KernelAccess.recheckCallers`).
   *
   * @param which whose subscriptions; default: all
   */
  recheckCallers(which?: (request: RequestView) => boolean): void;
  /** Runs every live query again: its result depends on something that no change record shows, such as permissions. */
  rerunLiveQueries(): void;
  /**
   * Replaces the served schema with `text` and keeps all data. Resolves when the new API answers. An unchanged text succeeds and
   * changes nothing. Errors: `SCHEMA_INVALID`, `PLUGIN_MISSING`, `MIGRATION_REFUSED`; after an error the old schema stays active.
   * Of deploys at the same time, also by other servers on one database, the last one counts: a deploy that another one has replaced meanwhile resolves too.
   */
  deploy(text: string, options?: DeployOptions): Promise<void>;
  /** What `deploy` would do with `text`; changes nothing. Errors: those of `deploy`, except that the result lists obstacles in the data. */
  compare(text: string): Promise<DeployComparison>;
  /** The errors with which `deploy` would refuse `text`, except those that depend on the data. Fetches the resources that the text refers to. */
  validate(text: string, options?: ValidateOptions): Promise<readonly QuernError[]>;
  /**
   * The deploys that the store remembers, the newest first: the last 50, as far as their texts take four megabytes together. `erase` of everything
   * forgets them. Requires an open kernel.
   */
  pastDeploys(): Promise<readonly PastDeploy[]>;
  /** The text of one of `pastDeploys`; undefined: there is none with this id, or its text exceeded four megabytes. */
  pastText(id: number): Promise<string | undefined>;
  /** Deletes all data, or data and schema, or one field. Irreversible. */
  erase(what: Erase): Promise<void>;
  /** While true, `/graphql` and `execute` refuse every root field, and clients are disconnected. */
  readonly draining: boolean;
  /** See `draining`. */
  setDraining(on: boolean): void;
  /** Calls `observer` at lifecycle events, in the order of registration. Returns a function that unregisters it. */
  observe(observer: KernelObserver): () => void;
  /** Calls `listener` when an administrator requests a graceful stop: close the transports, then this kernel. Returns a function that removes it. */
  onShutdown(listener: () => void): () => void;
  /** Asks the shutdown listeners to stop this kernel once the current work is done. False: there are no listeners. */
  shutDown(): boolean;
}
