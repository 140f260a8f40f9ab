// What the HTTP surface needs of the kernel behind it.

import type {
  DeployComparison,
  Deployment,
  DeployOptions,
  Erase,
  Gauges,
  GraphQLAnswer,
  GraphQLRequest,
  HttpRequest,
  Limits,
  LiveRequest,
  MaybePromise,
  Metrics,
  QuernError,
  Storage,
  Subscription,
  SubscriptionObserver,
  Uid,
  ValidateOptions,
} from "../../core/index.ts";
import type { ApiKeys } from "./access/api-keys.ts";
import type { PersistedQueries } from "./graphql/persisted-store.ts";
import type { TrustedDocuments } from "./graphql/trusted-documents.ts";
import type { LiveClients } from "./socket/live-clients.ts";

export interface HttpContext {
  readonly limits: Limits;
  readonly keys: ApiKeys;
  /** Whether browsers get a page to ask queries in. */
  readonly graphiql: boolean;
  /** Whether everybody may introspect. */
  readonly introspection: boolean;
  /** Whether this caller may. */
  readonly introspects: (request: Pick<HttpRequest, "headers">) => boolean;
  readonly persisted: PersistedQueries;
  /** Undefined: none are configured. */
  readonly trusted: TrustedDocuments | undefined;
  /** The schema that serves now; undefined before the first deploy and after everything was dropped. */
  readonly deployment: Deployment | undefined;
  /** One more after each change of the served schema, once the new one answers. */
  readonly schemaUpdateCounter: number;
  /** False while the kernel opens or closes. */
  readonly ready: boolean;
  /** Never rejects: a fault is an answer too. */
  execute(request: GraphQLRequest): MaybePromise<GraphQLAnswer>;
  /** Never throws: the subscriber is told. */
  subscribe(request: LiveRequest, subscriber: SubscriptionObserver): Subscription;
  /** Those who stay connected. */
  readonly clients: LiveClients;
  /** Resolves when the new schema answers. Rejects with `SCHEMA_INVALID` (its `errors` are all that is wrong), `MIGRATION_REFUSED` or another QuernError. */
  deploy(document: string, options?: DeployOptions): Promise<unknown>;
  /** What `deploy` would do; changes nothing. Rejects as it does, but tells obstacles in the data in the result. */
  compare(document: string): Promise<DeployComparison>;
  /** What `deploy` would find wrong with the text itself; looks at no data. Empty: valid. */
  validate(document: string, options?: ValidateOptions): MaybePromise<readonly QuernError[]>;
  erase(what: Erase): Promise<void>;
  readonly storage: Pick<Storage, "name" | "cache" | "statistics">;
  /** Uids for the caller's own use; nobody else gets them. */
  takeUids(count: number): Promise<readonly Uid[]>;
  /** While it is true, `/graphql` answers no root field. */
  readonly draining: boolean;
  setDraining(on: boolean): void;
  /** Asks whoever runs this kernel to stop. False: nobody listens for it. */
  shutDown(): boolean;
  /** Undefined: nobody counts, and there is no `/metrics`. */
  readonly metrics: Metrics | undefined;
  readonly gauges: Pick<Gauges, "read">;
  /** Whether an HTTP request has a line of its own in the log. */
  readonly tellsRequests: boolean;
  /** Gets every fault whole, with its stack. */
  log(fault: unknown): void;
}
