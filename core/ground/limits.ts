// Bounds on what one request may ask for, and all of them together. Each ends the request with a clear error, never in silence.

export interface Limits {
  /** Bytes of a request's body as sent. Default: 64 MiB. */
  readonly maxBodyBytes: number;
  /** Bytes of a body after it is unpacked. Default: 256 MiB. */
  readonly maxInflatedBytes: number;
  /** Tokens of a GraphQL document. Default: 1,000,000. */
  readonly maxDocumentTokens: number;
  /** Root fields of one operation. Default: 1,000. */
  readonly maxRootFields: number;
  /**
   * Selections of one operation when its fragments are written out, once for each concrete type that an interface or union may stand
   * for. Default: 100,000.
   */
  readonly maxSelections: number;
  /** Elements of one list in a mutation's input. Default: 100,000. */
  readonly maxInputList: number;
  /** Nesting of selection sets. Default: Infinity. */
  readonly maxDepth: number;
  /** Nodes that one request may touch. Default: Infinity. */
  readonly maxTouchedNodes: number;
  /** Time of one request, in milliseconds. Default: 60,000. */
  readonly maxTimeMs: number;
  /** Nodes that one mutation may change. Default: 1,000,000; a store may take fewer. */
  readonly maxChanges: number;
  /** Requests that run at the same time. Default: 1,000. */
  readonly maxConcurrentRequests: number;
  /** Requests that wait because so many run; one more is refused with the status 503. Default: 1,000. */
  readonly maxWaitingRequests: number;
  /** Mutations that run or wait for the writer; one more is refused with the status 503. Default: 500. */
  readonly maxQueuedWrites: number;
  /** Documents whose plans are kept for the next request with the same text. Default: 1,000. */
  readonly maxCachedDocuments: number;
  /** What is kept of the documents that clients register by their hash. */
  readonly persistedQueries: PersistedQueryLimits;
  /** WebSockets and event streams that are open at the same time; one more is refused with the status 503. Default: 10,000. */
  readonly maxLiveClients: number;
  /** Subscriptions of all clients together; one more is refused. Default: 100,000. */
  readonly maxSubscriptions: number;
  /** How long one subscription may last, in milliseconds; then it is complete, and the client may begin another. Default: no end. */
  readonly maxSubscriptionMs: number;
  /** Operations that run at the same time on one WebSocket. Default: 1,000. */
  readonly maxOperationsPerSocket: number;
  /** Bytes of one message on a WebSocket, unpacked; a longer one ends the connection with 1009. Default: 1 MiB. */
  readonly maxMessageBytes: number;
  /**
   * Until when a client of `graphql-transport-ws`, or one that needs a key and has shown none, must have introduced itself, in
   * milliseconds; then 4408. Default: 10,000.
   */
  readonly socketInitMs: number;
  /** How often a WebSocket is pinged, in milliseconds; a peer that is silent until the next ping is dropped. 0: never. Default: 30,000. */
  readonly socketPingMs: number;
  /**
   * How often a client that waits is sent a sign of life, in milliseconds: `ka` in the older WebSocket dialect, a comment on an event
   * stream. 0: never. Default: 20,000.
   */
  readonly liveKeepAliveMs: number;
}

/** Bounds on persisted queries, for all servers of one store together. Over a bound, the least recently used go first. */
export interface PersistedQueryLimits {
  /** Documents. 0 keeps none. Default: 1,000. */
  readonly maxDocuments: number;
  /** Bytes of all documents, as UTF-8. Default: 16 MiB. */
  readonly maxBytes: number;
  /** Bytes of one document, as UTF-8. A longer one runs and is not kept. Default: 64 KiB. */
  readonly maxDocumentBytes: number;
}

/** Limits as a configuration names them: what is left out keeps its default. */
export type LimitOptions = Partial<Omit<Limits, "persistedQueries">> & { readonly persistedQueries?: Partial<PersistedQueryLimits> };

export const defaultLimits: Limits = Object.freeze({
  maxBodyBytes: 64 * 2 ** 20,
  maxInflatedBytes: 256 * 2 ** 20,
  maxDocumentTokens: 1_000_000,
  maxRootFields: 1_000,
  maxSelections: 100_000,
  maxInputList: 100_000,
  maxDepth: Number.POSITIVE_INFINITY,
  maxTouchedNodes: Number.POSITIVE_INFINITY,
  maxTimeMs: 60_000,
  maxChanges: 1_000_000,
  maxConcurrentRequests: 1_000,
  maxWaitingRequests: 1_000,
  maxQueuedWrites: 500,
  maxCachedDocuments: 1_000,
  persistedQueries: Object.freeze({ maxDocuments: 1_000, maxBytes: 16 * 2 ** 20, maxDocumentBytes: 64 * 2 ** 10 }),
  maxLiveClients: 10_000,
  maxSubscriptions: 100_000,
  maxSubscriptionMs: Number.POSITIVE_INFINITY,
  maxOperationsPerSocket: 1_000,
  maxMessageBytes: 2 ** 20,
  socketInitMs: 10_000,
  socketPingMs: 30_000,
  liveKeepAliveMs: 20_000,
});

/** The limits with defaults filled in; an option given as `undefined` counts as not given. */
export function resolveLimits(given: LimitOptions = {}): Limits {
  const persistedQueries = { ...defaultLimits.persistedQueries, ...named(given.persistedQueries ?? {}) };
  return { ...defaultLimits, ...named(given), persistedQueries };
}

function named(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
