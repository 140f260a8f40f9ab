// What the endpoints of the HTTP surface need from the kernel and the configuration.

import type {
  DeployComparison,
  Deployment,
  DeployOptions,
  Gauges,
  GraphQLAnswer,
  GraphQLRequest,
  Kernel,
  Limits,
  LiveReport,
  LiveRequest,
  MaybePromise,
  Metrics,
  QuernError,
  Subscription,
  SubscriptionObserver,
  Uid,
  ValidateOptions,
} from "../../core/index.ts";
import type { ServerAccess } from "../../core/plugin.ts";
import type { Erase, Storage, StoreTrouble } from "../../core/storage.ts";
import type { HttpRequest } from "../../core/transport.ts";
import type { ApiKeys } from "./access/api-keys.ts";
import type { Sender } from "./access/caller-names.ts";
import type { PersistedQueries } from "./graphql/persisted-store.ts";
import type { TrustedDocuments } from "./graphql/trusted-documents.ts";
import type { BodyLimits } from "./http/body-limits.ts";
import type { RequestBodies } from "./http/body-room.ts";
import type { LiveClients } from "./socket/live-clients.ts";
import type { RequestsReport } from "./tasks/recent-requests.ts";
import type { TaskQueue } from "./tasks/task-queue.ts";

export interface HttpContext {
  readonly limits: Limits;
  /** Memory for bodies. */
  readonly bodies: RequestBodies;
  /** Memory for what long bodies become. */
  readonly parsed: RequestBodies;
  /** How much the body of this caller may hold. */
  readonly bodyLimits: (request: Pick<HttpRequest, "headers">) => BodyLimits;
  readonly keys: ApiKeys;
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
  /** Whether browsers get the console. */
  readonly console: boolean;
  /** Whether every caller may introspect. */
  readonly introspection: boolean;
  /** Whether this caller may introspect. */
  readonly introspects: (request: Pick<HttpRequest, "headers">) => boolean;
  /** For whom a request counts; undefined: nothing is known of its caller. */
  readonly callerOf: (request: Sender) => GraphQLRequest["caller"];
  readonly persisted: PersistedQueries;
  /** Which callers plugins accept as administrators; undefined: all that pass the checks of the server. */
  readonly access: ServerAccess | undefined;
  /** Undefined: none are configured. */
  readonly trusted: TrustedDocuments | undefined;
  /** The active schema; undefined before the first deploy and after all was dropped. */
  readonly deployment: Deployment | undefined;
  /** Incremented after each change of the active schema. */
  readonly schemaUpdateCounter: number;
  /** False while the kernel opens or closes. */
  readonly ready: boolean;
  /** Never rejects: a fault becomes an answer with errors. */
  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer>;
  /** Never throws: a fault ends the subscription with errors. */
  subscribe(request: LiveRequest, subscriber: SubscriptionObserver): Subscription;
  /** Open WebSockets and event streams. */
  readonly clients: LiveClients;
  /** Resolves when the new schema is active. Rejects with `SCHEMA_INVALID` (its `errors` list all problems), `MIGRATION_REFUSED` or another QuernError. */
  deploy(document: string, options?: DeployOptions): Promise<unknown>;
  /** What `deploy` would do; changes nothing. Rejects as `deploy` does, except that obstacles in the data are part of the result. */
  compare(document: string): Promise<DeployComparison>;
  /** The problems of the text that `deploy` would report; reads no data. Empty: valid. */
  validate(document: string, options?: ValidateOptions): MaybePromise<readonly QuernError[]>;
  /** The deploys that the store remembers, the newest first. */
  readonly pastDeploys: Kernel["pastDeploys"];
  readonly pastText: Kernel["pastText"];
  erase(what: Erase): Promise<void>;
  readonly storage: Storage;
  /** What keeps the store from serving; undefined: nothing, or the kernel opens or closes. */
  readonly trouble: StoreTrouble | undefined;
  /** Closes the kernel and opens it again. `recover` runs when it does not open, before a second try. */
  reopen(recover: () => Promise<void>): Promise<void>;
  /** Exports, backups, restores and checks that administrators have asked for. */
  readonly tasks: TaskQueue;
  /** The folder of exports without a destination. */
  readonly exportsFolder: string;
  /** Reserves uids for the caller. */
  takeUids(count: number): Promise<readonly Uid[]>;
  /** While it is true, `/graphql` answers no root field. */
  readonly draining: boolean;
  /** Starts or stops draining. */
  setDraining: Kernel["setDraining"];
  /** Requests a shutdown from the process that runs the kernel. False: it registered no `onShutdown` listener. */
  shutDown(): boolean;
  /** Undefined: metrics are not configured, and `/metrics` does not exist. */
  readonly metrics: Metrics | undefined;
  readonly gauges: Pick<Gauges, "read">;
  /** What happened to requests since the start. */
  readonly requests: () => RequestsReport;
  /** What runs for the subscriptions. @param most how many queries are listed */
  readonly liveQueries: (most: number) => LiveReport;
  /** Whether each HTTP request is logged. */
  readonly logsRequests: boolean;
  /** Logs a sentence about a task. */
  note(sentence: string): void;
  /** Logs a fault with its stack. */
  log(fault: unknown): void;
}
