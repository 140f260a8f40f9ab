// What the endpoints work with: the kernel, and what only the server has.

import type { GraphQLRequest, Kernel } from "../../../core/index.ts";
import type { ReadGraphQLBody, ServerAccess } from "../../../core/plugin.ts";
import type { HttpRequest, MaybePromise } from "../../../core/transport.ts";
import type { ApiKeys } from "../access/api-keys.ts";
import type { Sender } from "../access/caller-names.ts";
import type { Deeds } from "../access/deeds.ts";
import type { ServedNamespace } from "../config/config.ts";
import type { PersistedQueries } from "../documents/persisted-store.ts";
import type { TrustedDocuments } from "../documents/trusted-documents.ts";
import type { BodyLimitsOf } from "../http/body-limits.ts";
import type { BodyOrder } from "../http/body-order.ts";
import type { RequestBodies } from "../http/body-room.ts";
import type { LiveClients } from "./live-clients.ts";
import type { RequestsReport } from "./recent-requests.ts";
import type { RequestLog } from "./request-log.ts";
import type { TaskQueue } from "./task-queue.ts";

/** A media type that the server does not know. */
export interface ForeignBody {
  /** Whether the served schema has a use for it. */
  readonly isUsed: () => boolean;
  /** Gives the body in JSON. */
  readonly read: (server: ServerParts, request: HttpRequest) => MaybePromise<ReadGraphQLBody>;
}

export interface ServerParts {
  readonly kernel: Kernel;
  /** Memory for bodies. */
  readonly bodies: RequestBodies;
  /** Memory for what long bodies become. */
  readonly parsed: RequestBodies;
  /** Which long body is read next. */
  readonly bodyOrder: BodyOrder;
  /** How much the body of this caller may hold. */
  readonly bodyLimits: BodyLimitsOf;
  readonly keys: ApiKeys;
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
  /** Whether browsers get the console. */
  readonly console: boolean;
  /** Whether this caller may introspect. */
  readonly introspects: (request: Pick<HttpRequest, "headers">) => boolean;
  /** For whom a request counts; undefined: nothing is known of its caller. */
  readonly callerOf: (request: Sender) => GraphQLRequest["caller"];
  /** The client's address, as far as trusted proxies tell it. */
  readonly addressOf: (request: Sender) => string | undefined;
  readonly persisted: PersistedQueries;
  /** Which callers plugins accept as administrators; undefined: all that pass the checks of the server. */
  readonly access: ServerAccess | undefined;
  /** Who hears what administrators have done. */
  readonly deeds: Deeds;
  /** Bodies of `/graphql` that plugins read, by media type. */
  readonly foreignBodies: ReadonlyMap<string, ForeignBody>;
  /** Undefined: none are configured. */
  readonly trusted: TrustedDocuments | undefined;
  /** Open WebSockets and event streams. */
  readonly clients: LiveClients;
  /** Exports, backups, restores and checks that administrators have asked for. */
  readonly tasks: TaskQueue;
  /** What recent requests took. */
  readonly requests: () => RequestsReport;
  /** Requests one by one, while an administrator looks at them. */
  readonly requestLog: RequestLog;
  /** The folder of exports without a destination. */
  readonly exportsFolder: string;
  readonly namespace: ServedNamespace;
}
