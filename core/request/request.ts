// One GraphQL request as it enters the kernel, and its answer.

import type { MaybePromise } from "../ground/values/value.ts";

/** What a client asks, decoded. */
export interface GraphQLRequest {
  readonly query: string;
  readonly operationName?: string | null;
  /** Values by variable name; integers beyond 2^53 as bigint. */
  readonly variables?: Readonly<Record<string, unknown>> | null;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Calls its listener when nobody waits for the answer any more. */
  readonly onGone?: (listener: () => void) => void;
  /** A mutation is refused: the answer has errors and `kind: "mutation"`, and nothing ran. */
  readonly queriesOnly?: boolean;
  /** The caller may ask for `__schema` and `__type`, and be offered names, where `introspection` is off. */
  readonly introspects?: boolean;
  /** Called once, before anything runs, when the document is valid and the caller may ask. Never rejects. */
  readonly admitted?: (() => MaybePromise<void>) | undefined;
  /** Asks for `extensions.plan`; heard in debug mode only. */
  readonly plan?: boolean;
  /** What carries it, if that has a line of its own in the log: what the operation came to is told there. */
  readonly exchange?: object | undefined;
}

/** What a caller may ask for. */
export type CallerRights = Required<Pick<GraphQLRequest, "queriesOnly" | "introspects">>;

export interface GraphQLAnswer {
  /** The whole envelope as JSON. */
  readonly body: string;
  /** Nodes touched, for the header. */
  readonly touched: number;
  readonly maxAgeSeconds: number | undefined;
  /** Refused as a whole: errors and no data. */
  readonly requestErrors: boolean;
  readonly kind: "query" | "mutation" | "subscription" | undefined;
  /** The server has too much to do: how long a client waits before it tries again. Nothing was run. */
  readonly retryAfterSeconds?: number;
}
