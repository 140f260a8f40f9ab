// What the kernel tells those who count: every operation, HTTP exchange and commit as it ends, and numbers of the moment when asked.

import type { MaybePromise } from "../ground/values/value.ts";

/** Told synchronously: each method is quick and never throws. */
export interface Metrics {
  /** A GraphQL operation has ended, whatever carried it. */
  operation?(ended: EndedOperation): void;
  /** An HTTP request has its answer. */
  exchange?(ended: EndedExchange): void;
  /** A write transaction is durable, or has failed. */
  commit?(ended: EndedCommit): void;
  /** The answer of `GET /metrics`. */
  expose(readings: Readings): MaybePromise<Exposition>;
  /** True: anybody may read `GET /metrics`. Otherwise it is guarded like the administration. */
  readonly open?: boolean;
}

/**
 * `ok`: no errors. `failed`: data, with errors. `refused`: malformed, invalid or not allowed; nothing ran. `limit`: over its time or another
 * bound. `cancelled`: the client went. `overloaded`: not admitted. `fault`: an error of the server.
 */
export type Outcome = "ok" | "failed" | "refused" | "limit" | "cancelled" | "overloaded" | "fault";

export interface EndedOperation {
  /** UUID, also in `extensions.requestID` of mutations. */
  readonly requestID: string;
  /** Undefined: it was refused before that was known. */
  readonly kind: "query" | "mutation" | "subscription" | undefined;
  readonly outcome: Outcome;
  /** Including the time it waited to be admitted. */
  readonly durationMs: number;
  /** Nodes read and written. */
  readonly touched: number;
  /** As written in the document. */
  readonly name: string | undefined;
  /** The document, its texts and numbers masked, cut at 2,000 characters. */
  readonly document: string;
  /** SHA-256 of the whole masked document, in hexadecimal digits; of a document without texts and numbers the hash of its persisted query. */
  readonly documentHash: string;
  /** How it was run, by `printPlan`, values masked; undefined when it came to no plan. */
  readonly plan: string | undefined;
}

export interface EndedExchange {
  readonly method: string;
  /** A path that exists (`/graphql`), else `other`: few values, whatever clients send. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface EndedCommit {
  readonly ok: boolean;
  readonly durationMs: number;
}

export interface Readings {
  /** The name of the storage. */
  readonly storage: string;
  /** `Storage.statistics()`: `nodes.Author` is about one type, a name that ends in `Total` only rises. */
  readonly statistics: Readonly<Record<string, number>>;
  /** Of the kernel and its parts: `requestsRunning`, `requestsWaiting`, `liveSubscriptions`. Names that end in `Total` only rise. */
  readonly gauges: Readonly<Record<string, number>>;
}

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}
