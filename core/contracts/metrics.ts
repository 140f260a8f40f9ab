// The contract between the kernel and a metrics library. The kernel reports each operation, HTTP request and commit as it ends, and
// passes the current gauges when the metrics are read.

import type { MaybePromise } from "../ground/values/value.ts";

/**
 * Collects metrics. Methods are called synchronously: each must return at once and must not throw. One that counts operations:
 *
 *     const counts = new Map<Outcome, number>();
 *     const metrics: Metrics = {
 *       operation: ({ outcome }) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
 *       expose: () => ({ contentType: "application/json", body: JSON.stringify(Object.fromEntries(counts)) }),
 *     };
 */
export interface Metrics {
  /** A GraphQL operation has ended, over any transport or without one. */
  operation?(ended: EndedOperation): void;
  /** An HTTP request has been answered. */
  exchange?(ended: EndedExchange): void;
  /** A write transaction is durable, or has failed. */
  commit?(ended: EndedCommit): void;
  /** Renders all metrics: the response of `GET /metrics`. */
  expose(readings: Readings): MaybePromise<Exposition>;
  /** True: `GET /metrics` needs no authorization. By default it needs that of the administration API. */
  readonly open?: boolean;
}

/**
 * How an operation ended:
 *
 * | outcome | meaning |
 * |---|---|
 * | `ok` | data without errors |
 * | `failed` | data with errors |
 * | `refused` | malformed, invalid or not allowed; nothing ran |
 * | `limit` | a time limit or another limit ended it |
 * | `cancelled` | the client disconnected |
 * | `overloaded` | the server was busy; nothing ran |
 * | `fault` | an internal error |
 */
export type Outcome = "ok" | "failed" | "refused" | "limit" | "cancelled" | "overloaded" | "fault";

/** A GraphQL operation that has ended. */
export interface EndedOperation {
  /** A UUID; clients find it in `extensions.requestID` of mutations. */
  readonly requestID: string;
  /** Undefined when the request was refused before its document was parsed. */
  readonly kind: "query" | "mutation" | "subscription" | undefined;
  /** How it ended, as a word of few: a label of metrics. */
  readonly outcome: Outcome;
  /** Of an operation that is not `ok`: the code of its first error, the outcome where that has none. */
  readonly code: string | undefined;
  /** From arrival to answer in milliseconds, waiting for admission included. */
  readonly durationMs: number;
  /** How many nodes it read and wrote. */
  readonly touched: number;
  /** The operation's name in the document. */
  readonly name: string | undefined;
  /** The document with its strings and numbers masked, cut to 2,000 characters. */
  readonly document: string;
  /**
   * SHA-256 of the whole masked document, in hexadecimal digits. For a document without strings and numbers it equals the hash of its
   * persisted query.
   */
  readonly documentHash: string;
  /** The same object for the runs of one prepared document: a key that costs no hash. Undefined when the request was refused before. */
  readonly prepared: object | undefined;
  /** For whom it counts: `key mobile`, `user ada`, `address 192.0.2.7`. Undefined: for nobody, as what an administrator asks. */
  readonly caller: string | undefined;
  /** How long its steps took, where an observer has them timed (`KernelObserver.timesSteps`). */
  readonly steps: OperationSteps | undefined;
  /** The query plan as `printPlan` prints it, values masked. Undefined when the operation was not planned. */
  readonly plan: string | undefined;
}

/** Milliseconds of the steps of an operation. Together they are its duration. */
export interface OperationSteps {
  /** Before it began: it waited for others. */
  readonly waitedMs: number;
  /** Its document was parsed, validated and planned, and its variables were read. */
  readonly preparedMs: number;
  /** Its caller was identified; it read and wrote, and its answer was made. 0: it was refused before. */
  readonly ranMs: number;
}

/** An HTTP request that has been answered. */
export interface EndedExchange {
  readonly method: string;
  /** A path that the server knows (`/graphql`), otherwise `other`: the number of labels stays bounded, whatever clients send. */
  readonly path: string;
  /** The status code of the response. */
  readonly status: number;
  /** In milliseconds. */
  readonly durationMs: number;
}

/** A write transaction that has ended. */
export interface EndedCommit {
  /** True: durable. False: failed. */
  readonly ok: boolean;
  /** In milliseconds, waiting for the writer included. */
  readonly durationMs: number;
}

/** Current values of the kernel and its storage. Names that end in `Total` are counters; the others are gauges. */
export interface Readings {
  /** The storage's name. */
  readonly storage: string;
  /** `Storage.statistics()`. `nodes.Author` is about one type. */
  readonly statistics: Readonly<Record<string, number>>;
  /** Values of the kernel and its parts: `requestsRunning`, `requestsWaiting`, `liveSubscriptions`. */
  readonly gauges: Readonly<Record<string, number>>;
}

/** Rendered metrics. */
export interface Exposition {
  /** The value of the `content-type` header. */
  readonly contentType: string;
  /** The text, in the format that `contentType` names. */
  readonly body: string;
}
