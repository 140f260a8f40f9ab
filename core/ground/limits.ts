// Limits on the resources of one request, of one connection, and of the whole server.

/** All limits. A request that exceeds one fails with an error that names it; nothing is truncated silently. */
export interface Limits {
  /** Bytes of a request's body as sent, before decompression. Default: 10 MiB. */
  readonly maxBodyBytes: number;
  /** Bytes of a body after decompression. Default: 10 MiB. */
  readonly maxInflatedBytes: number;
  /** Bytes of a body that is sent with the admin token or an admin key, packed and unpacked, where that is more. Default: 64 MiB. */
  readonly maxAdminBodyBytes: number;
  /** Elements of lists and members of objects in a JSON body, all together. Default: 500,000. */
  readonly maxBodyValues: number;
  /** The same with the admin token or an admin key, where that is more. Default: 3,000,000. */
  readonly maxAdminBodyValues: number;
  /** Members of one object in a JSON body. Default: 10,000. */
  readonly maxObjectMembers: number;
  /**
   * Bytes that all bodies of requests take together, unpacked ones included; further requests wait before theirs are read. What long bodies become has as
   * much again. Default: 128 MiB.
   */
  readonly maxBufferedBytes: number;
  /** Tokens of a GraphQL document, which is parsed in one go, and its lines; 256 times as many characters. Default: 50,000. */
  readonly maxDocumentTokens: number;
  /** Tokens of a schema that is deployed, compared or validated. Default: 1,000,000. */
  readonly maxSchemaTokens: number;
  /** Root fields of one operation. Default: 1,000. */
  readonly maxRootFields: number;
  /**
   * Selections of one operation with its fragments expanded, counted once for each concrete type of an interface or union. Default: 100,000.
   */
  readonly maxSelections: number;
  /** Elements of one list in an operation's arguments, in literals and variables, and of all lists of a query together. Default: 100,000. */
  readonly maxInputList: number;
  /**
   * Objects in the lists of a query's arguments: conditions of `and` and `or`, points of a polygon, representations of entities; in literals and variables. Default: 10,000.
   */
  readonly maxConditions: number;
  /**
   * Characters, as JavaScript counts them (UTF-16 units), of one text that is stored or that a request gives as an operand; a point of an area counts as 100. Longer values that are stored already are
   * read, replaced, removed and exported. Default: 1,000,000.
   */
  readonly maxValueCharacters: number;
  /** Distinct tokens of one text in one index, for texts that are stored and for operands. Default: 100,000. */
  readonly maxTokensPerValue: number;
  /** Nesting depth of selection sets. Default: 50. */
  readonly maxDepth: number;
  /** Nodes that one request may read and write. Default: 10,000,000. */
  readonly maxTouchedNodes: number;
  /** Duration of one request in milliseconds. Default: 60,000. */
  readonly maxTimeMs: number;
  /**
   * Milliseconds that a hook of a plugin which is called in a transaction may wait for something other than the transaction, whose writer others wait for. Then
   * the transaction is undone, and the request fails with `PLUGIN_TIMEOUT`. Default: 5,000.
   */
  readonly hookMs: number;
  /** Milliseconds that the hook `open` of one plugin may take. Then a deploy is refused; a restart goes on without it. Default: 60,000. */
  readonly openMs: number;
  /** Milliseconds that all `survey` hooks of a deploy may take together. Default: 10,000. */
  readonly surveyMs: number;
  /**
   * Milliseconds that a kernel which closes waits for plugins: for what they do for requests and deploys that run, and for their background tasks; then as long
   * again for their `close` hooks. A deploy waits as long for the tasks and the `close` hooks of the schema before. Default: 5,000.
   */
  readonly closeMs: number;
  /** UTF-8 bytes of one answer, counted while it is written; beyond it nothing more is read, and the answer is one error. Default: 64 MiB. */
  readonly maxAnswerBytes: number;
  /**
   * Bytes of answers that the server holds for clients that have not taken them, over all connections. Above half of them no long request begins;
   * above all of them the connection that has waited longest for its client is cut. Short requests together keep an eighth of them of what a database server
   * has sent; beyond it each that reads on counts as long. Default: 256 MiB.
   */
  readonly maxUnsentBytes: number;
  /** How long a client may take nothing of what is sent to it, in milliseconds; then its connection is cut. Default: 30,000. */
  readonly stallMs: number;
  /** Requests that work for more than about 20 ms, at the same time, in each thread; others wait, short ones do not. Default: 2. */
  readonly maxLongRequests: number;
  /** Requests that wait for one of these; a further one is refused. Default: 100. */
  readonly maxWaitingLongRequests: number;
  /** Nodes that one mutation may change. Default: 1,000,000; a storage may allow fewer. */
  readonly maxChanges: number;
  /**
   * Milliseconds for which one transaction of a plugin's root field may be open (`RootContext.transaction`); then nothing of it is committed. Default: 10,000.
   */
  readonly maxTransactionMs: number;
  /** What one caller may take of the server, so that it leaves something to the others. Default: everything. */
  readonly perCaller: CallerLimits;
  /** Requests that run concurrently. Default: 1,000. */
  readonly maxConcurrentRequests: number;
  /** Requests that wait for one of these; a further request is refused with status 503. Default: 1,000. */
  readonly maxWaitingRequests: number;
  /** Mutations that run or wait for the writer; a further one is refused with status 503. Default: 500. */
  readonly maxQueuedWrites: number;
  /** Documents in the plan cache, by text; their trees and plans take about 64 MiB at most. Default: 1,000. */
  readonly maxCachedDocuments: number;
  /** The store of automatic persisted queries. */
  readonly persistedQueries: PersistedQueryLimits;
  /** Open WebSockets and event streams; a further one is refused with status 503. Default: 10,000. */
  readonly maxLiveClients: number;
  /** Subscriptions of all clients; a further one is refused. Default: 100,000. */
  readonly maxSubscriptions: number;
  /** Duration of one subscription in milliseconds. The server then ends it with `SUBSCRIPTION_EXPIRED`, and the client may start another. Default: Infinity. */
  readonly maxSubscriptionMs: number;
  /** Concurrent operations on one WebSocket. Default: 1,000. */
  readonly maxOperationsPerSocket: number;
  /**
   * Operations on one WebSocket that are planned, or queries and mutations that run, at the same time; requests of one HTTP connection that run or whose answers
   * its client has not taken. Others wait for them. Default: 4.
   */
  readonly maxStartingPerSocket: number;
  /** Bytes of one WebSocket message after decompression; a longer one closes the connection with 1009. Default: 1 MiB. */
  readonly maxMessageBytes: number;
  /**
   * Milliseconds within which a client must send `connection_init`: one of `graphql-transport-ws`, or one that must send a key and has not.
   * Then the server closes the connection with 4408. Default: 10,000.
   */
  readonly socketInitMs: number;
  /** Milliseconds between pings on a WebSocket; a peer that sends nothing between two pings is disconnected. 0: never. Default: 30,000. */
  readonly socketPingMs: number;
  /**
   * Milliseconds between keep-alive messages: `ka` in the older WebSocket subprotocol, a comment in an event stream. 0: never. Default: 20,000.
   */
  readonly liveKeepAliveMs: number;
}

/**
 * Limits on each caller: an API key, else the subject of a token that a plugin has verified, else an address (of version 6: its first 64 bits).
 * A request beyond them is refused with `TOO_MANY_REQUESTS`, status 429 and `Retry-After`, before it runs. Requests of plugins' background tasks, and of an
 * application that embeds the kernel and names no caller, have none.
 */
export interface CallerLimits {
  /** Requests that run or wait at the same time. Default: Infinity. */
  readonly maxRunning: number;
  /** Requests in a minute, all at once or one after the other. A subscription is one. Default: Infinity. */
  readonly maxRequestsPerMinute: number;
  /**
   * Nodes that the caller's requests read and write in a minute. A request begins if there is room for as many as its plan shows; then it counts with those that
   * it has touched. Default: Infinity.
   */
  readonly maxCostPerMinute: number;
  /** Subscriptions that run at the same time, over all connections of the caller. Default: Infinity. */
  readonly maxSubscriptions: number;
}

/** Limits on persisted queries, for all servers of one store together. Over a limit, the least recently used documents are removed. */
export interface PersistedQueryLimits {
  /** Documents. 0 stores none. Default: 1,000. */
  readonly maxDocuments: number;
  /** UTF-8 bytes of all documents. Default: 16 MiB. */
  readonly maxBytes: number;
  /** UTF-8 bytes of one document. A longer one is executed and not stored. Default: 64 KiB. */
  readonly maxDocumentBytes: number;
}

/** The limits that a configuration sets; the others keep their defaults: `{ maxDepth: 20, persistedQueries: { maxDocuments: 0 } }`. */
export type LimitOptions = Partial<Omit<Limits, "persistedQueries" | "perCaller">> & {
  readonly persistedQueries?: Partial<PersistedQueryLimits>;
  readonly perCaller?: Partial<CallerLimits>;
};

/** The default of each limit. */
export const defaultLimits: Limits = Object.freeze({
  maxBodyBytes: 10 * 2 ** 20,
  maxInflatedBytes: 10 * 2 ** 20,
  maxAdminBodyBytes: 64 * 2 ** 20,
  maxBodyValues: 500_000,
  maxAdminBodyValues: 3_000_000,
  maxObjectMembers: 10_000,
  maxBufferedBytes: 128 * 2 ** 20,
  maxDocumentTokens: 50_000,
  maxSchemaTokens: 1_000_000,
  maxRootFields: 1_000,
  maxSelections: 100_000,
  maxInputList: 100_000,
  maxConditions: 10_000,
  maxValueCharacters: 1_000_000,
  maxTokensPerValue: 100_000,
  maxDepth: 50,
  maxTouchedNodes: 10_000_000,
  maxTimeMs: 60_000,
  hookMs: 5_000,
  openMs: 60_000,
  surveyMs: 10_000,
  closeMs: 5_000,
  maxAnswerBytes: 64 * 2 ** 20,
  maxUnsentBytes: 256 * 2 ** 20,
  stallMs: 30_000,
  maxLongRequests: 2,
  maxWaitingLongRequests: 100,
  maxChanges: 1_000_000,
  maxTransactionMs: 10_000,
  perCaller: Object.freeze({
    maxRunning: Number.POSITIVE_INFINITY,
    maxRequestsPerMinute: Number.POSITIVE_INFINITY,
    maxCostPerMinute: Number.POSITIVE_INFINITY,
    maxSubscriptions: Number.POSITIVE_INFINITY,
  }),
  maxConcurrentRequests: 1_000,
  maxWaitingRequests: 1_000,
  maxQueuedWrites: 500,
  maxCachedDocuments: 1_000,
  persistedQueries: Object.freeze({ maxDocuments: 1_000, maxBytes: 16 * 2 ** 20, maxDocumentBytes: 64 * 2 ** 10 }),
  maxLiveClients: 10_000,
  maxSubscriptions: 100_000,
  maxSubscriptionMs: Number.POSITIVE_INFINITY,
  maxOperationsPerSocket: 1_000,
  maxStartingPerSocket: 4,
  maxMessageBytes: 2 ** 20,
  socketInitMs: 10_000,
  socketPingMs: 30_000,
  liveKeepAliveMs: 20_000,
});

/** Adds the defaults. An option that is `undefined` counts as not set. */
export function resolveLimits(given: LimitOptions = {}): Limits {
  const persistedQueries = { ...defaultLimits.persistedQueries, ...defined(given.persistedQueries ?? {}) };
  const perCaller = { ...defaultLimits.perCaller, ...defined(given.perCaller ?? {}) };
  return { ...defaultLimits, ...defined(given), persistedQueries, perCaller };
}

function defined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Whether anything is limited for each caller. */
export function limitsCallers(limits: CallerLimits): boolean {
  return Math.min(...Object.values(limits)) < Number.POSITIVE_INFINITY;
}
