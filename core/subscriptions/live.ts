// Live queries as their users see them: who subscribes, what it is told, and when it ends. Protocols (WebSocket dialects, SSE)
// and embedding applications stand on this; how the engine finds out what changed is its own.

import type { GraphQLRequest } from "../request/request.ts";

export interface LiveRequest extends GraphQLRequest {
  /** A query or mutation is refused; otherwise it runs once: one result, then the end. */
  readonly subscriptionsOnly?: boolean;
  /** The token of the last result this client has seen (`extensions.resume`): the first result comes only if something changed since. */
  readonly resume?: string;
}

/** Told of one subscription, in order: results, then one end. Never called from within `subscribe` itself. */
export interface SubscriptionObserver {
  /**
   * A whole answer, the envelope as JSON. Called only while `ready()`; for a client that is not, the engine keeps the newest result
   * and nothing older, until `Subscription.drained()`.
   *
   * @param resume the result's `extensions.resume`, for protocols that carry such a token beside the body
   */
  next(body: string, resume?: string): void;
  ready(): boolean;
  end(why: LiveEnd): void;
}

/** Why a subscription is over. A deploy alone ends none. */
export type LiveEnd =
  /** A query or mutation has had its result. */
  | { readonly kind: "complete" }
  /**
   * The server stops (`shutdown`) or keeps requests away (`draining`). A live query is not over for its client: protocols send no end and
   * close the connection, and the client subscribes again.
   */
  | { readonly kind: "interrupted"; readonly by: "shutdown" | "draining" }
  /** The caller's token has ended, or the subscription has lasted `limits.maxSubscriptionMs`. */
  | { readonly kind: "expired"; readonly limit: "token" | "time"; readonly errors: readonly LiveError[] }
  /**
   * Errors in the shape clients see: before the first result (`refused`: nothing was sent), because a schema that was deployed later does not
   * allow the operation or its caller (`redeployed`), or a fault (`failed`).
   */
  | { readonly kind: "refused" | "redeployed" | "failed"; readonly errors: readonly LiveError[] };

export interface LiveError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export interface Subscription {
  /** `ready()` is true again: sends the newest result that waits, if any. */
  drained(): void;
  /** Nothing is told after it, `end` neither. @param why for the log */
  stop(why?: StopReason): void;
  /** The server stops: a live query ends as `interrupted` as soon as it has had its first result, a query or mutation with its result. */
  leave(): void;
}

/**
 * Why whoever subscribed wants no more. `client` (the default): it said so. `gone`: its connection is over, whoever lost or left it.
 * `closed`: the server has closed its connection, over something that it sent. `shutdown`: the server is going. `failed`: a fault of ours.
 */
export type StopReason = "client" | "gone" | "closed" | "shutdown" | "failed";
