// One GraphQL request as it enters the kernel, and its answer.

import type { MaybePromise } from "../../ground/values/value.ts";

/** A client's request, decoded. */
export interface GraphQLRequest {
  readonly query: string;
  /** Absent or null: the document has one operation. */
  readonly operationName?: string | null;
  /** Values by variable name; integers beyond 2^53 as bigint. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /**
   * Who asks, as the application itself knows it: claims as a verified token would have them, flat. Hooks get them as `RequestView.facts.claims`, so
   * rules that read claims read these.
   *
   *     await kernel.execute({ query: "{ queryTask { title } }", claims: { sub: "ada", ROLE: "ADMIN" } });
   *
   * They are taken as `JSON.stringify` writes them when the request comes: a member that is undefined is left out, and later changes of the object have no
   * effect. They decide alone: a token among `headers` is not read, not even to refuse it, and claims that a plugin finds do not count beside them. Nobody
   * verifies them; `sub`, a text, names the caller for `limits.perCaller`. Only code of this process can give them: no transport does.
   *
   * Errors: `REQUEST_INVALID` for claims that are no JSON object, or that hold a text with half a character. Undefined: the headers say who asks. No effect
   * with `as: "system"`.
   */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** Who sends it, as far as the transport knows; for `limits.perCaller`. Undefined: nobody whose requests are limited, but for `claims.sub`. */
  readonly caller?: RequestSender | undefined;
  /** Calls its listener when the client no longer waits for the answer. */
  readonly onGone?: (listener: () => void) => void;
  /** A mutation is refused: the answer has errors and `kind: "mutation"`, and nothing ran. */
  readonly queriesOnly?: boolean;
  /** The caller may introspect, and errors may suggest names, although `introspection` is off. */
  readonly introspects?: boolean;
  /** Called once, before anything runs, when the document is valid and the caller may ask. Never rejects. */
  readonly admitted?: (() => MaybePromise<void>) | undefined;
  /** Requests `extensions.plan`; works in debug mode, `as: "system"`, and with `explains`. */
  readonly plan?: boolean;
  /**
   * An administrator asks how the answer to this caller came about: with `plan` the answer also has `extensions.rules`, what plugins left of each type.
   * Plugins of `@envelop/core` do not see the request.
   */
  readonly explains?: boolean;
  /**
   * Who asks. `caller` (default): whom the headers name, with all restrictions. `system`: nobody's rights apply, so `admit`, `permissions`, `narrow` and
   * `masks` of all plugins are left out; values, changes and checks of plugins still apply. For administrators only. Subscriptions ignore it.
   */
  readonly as?: "caller" | "system";
  /** The transport's exchange, if it has a log line of its own: the operation's outcome is logged there. */
  readonly exchange?: object | undefined;
}

/** An API key by its name, or an address. A plugin that knows the subject of a token replaces the address. */
export interface RequestSender {
  readonly kind: "key" | "address";
  readonly name: string;
}

/** What a caller may ask for. */
export type CallerRights = Required<Pick<GraphQLRequest, "queriesOnly" | "introspects">>;

/** The answer to one request. */
export interface GraphQLAnswer {
  /** The whole envelope as JSON. Of a long answer it is put together when it is read; `pieces` take less memory. */
  readonly body: string;
  /** The body of a long answer as UTF-8, in the order in which it is sent. Undefined: the body is short. */
  readonly pieces?: readonly Uint8Array[];
  /** Nodes touched, for the header. */
  readonly touched: number;
  /** For `cache-control`. Undefined: the answer must not be cached. */
  readonly maxAgeSeconds: number | undefined;
  /** The request was refused: errors and no data. */
  readonly requestErrors: boolean;
  /** Undefined: the document was refused. */
  readonly kind: "query" | "mutation" | "subscription" | undefined;
  /** The server is overloaded and ran nothing; how many seconds a client should wait before it tries again. */
  readonly retryAfterSeconds?: number;
  /** Not the server is overloaded: the caller has taken its share. */
  readonly isShareTaken?: boolean;
}
