// The interface of live queries: subscribe, results, end. WebSocket dialects, event streams and embedding applications use it.

import type { LiveError } from "../contracts/plugin/live-engine.ts";
import type { GraphQLRequest } from "../request/caller/request.ts";

/** A request whose results a client keeps receiving. */
export interface LiveRequest extends GraphQLRequest {
  /** A query or mutation is refused; otherwise it runs once: one result, then the end. */
  readonly subscriptionsOnly?: boolean;
  /** The token of the last result that this client has (`extensions.resume`): a first result is sent only if the data have changed since. */
  readonly resume?: string;
}

/** Receives the results of one subscription in order, then one end. Never called synchronously from `subscribe`. */
export interface SubscriptionObserver {
  /**
   * A complete answer: `{ data, errors, extensions }` as JSON. Called only while `ready()` is true. Otherwise the kernel keeps the newest result,
   * and only that, until `Subscription.drained()`.
   *
   * @param resume the result's `extensions.resume`, for protocols that carry such a token beside the body
   */
  next(body: string, resume?: string): void;
  /** Whether the client can take a result now. */
  ready(): boolean;
  /** Called once, and nothing after it. */
  end(why: LiveEnd): void;
}

/** Why a subscription ended. A deploy that allows the operation does not end it. */
export type LiveEnd =
  /** A query or mutation has sent its result. */
  | { readonly kind: "complete" }
  /**
   * The server stops (`shutdown`) or is draining (`draining`). A live query has not ended for its client: protocols send no end and close the
   * connection, and the client subscribes again.
   */
  | { readonly kind: "interrupted"; readonly by: "shutdown" | "draining" }
  /** The caller's token has expired, or the subscription has lasted `limits.maxSubscriptionMs`. */
  | { readonly kind: "expired"; readonly limit: "token" | "time"; readonly errors: readonly LiveError[] }
  /**
   * Errors as clients see them. `refused`: before the first result. `redeployed`: a schema that was deployed later does not allow the operation
   * or its caller. `failed`: a fault of the server.
   */
  | { readonly kind: "refused" | "redeployed" | "failed"; readonly errors: readonly LiveError[] };

/** One running live query, as its transport controls it. */
export interface Subscription {
  /** Resolves when the request is planned or refused, and, of a query or mutation, when its result is there. Never rejects. */
  readonly planned: PromiseLike<void>;
  /** `ready()` is true again: sends the pending result, if any. */
  drained(): void;
  /** Ends the subscription; no method of the observer is called any more, not even `end`. @param why for the log */
  stop(why?: StopReason): void;
  /** Ends gracefully, because the server stops: a live query ends as `interrupted` after its first result, a query or mutation after its result. */
  leave(): void;
}

/**
 * Why a transport stops a subscription. `client` (the default): the client unsubscribed. `gone`: the connection was lost or closed by the client.
 * `closed`: the server closed the connection because of something the client sent. `shutdown`: the server stops. `failed`: a fault of the server.
 */
export type StopReason = "client" | "gone" | "closed" | "shutdown" | "failed";
