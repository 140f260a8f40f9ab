// The contract between the kernel and those that run long queries for it outside its thread. The kernel knows no threads: it hands a query over as plain
// data, and gets the bytes of its answer.

import type { ErrorStyle } from "../ground/error-style.ts";
import type { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import type { CommitToken, EndName, FieldName, Json } from "../ground/values/value.ts";
import type { Logger, LogLevel } from "./logger.ts";
import type { Outcome } from "./metrics.ts";
import type { Storage } from "./storage/storage.ts";

/**
 * Runs queries elsewhere, such as `readWorkers` of `quern/adapters/read-workers` in threads. One for each kernel.
 *
 * The way of a query: the kernel parses, validates and plans it, and asks `run` when `placement` says so, or when it has taken several turns of the event
 * loop here. A worker has a kernel of its own on the same open store
 * (`Storage.readers`), which reads the commit that `HandedQuery.after` names or a later one, and returns the finished answer. A worker that ends takes only
 * its own queries with it.
 *
 *     // what the kernel does with it
 *     const handed = workers.placement.of(operation, cost) === "elsewhere" ? workers.run(query, caller) : undefined;
 *     return (await handed) ?? runHere(query);
 */
export interface ReadWorkers {
  /** Decides where queries begin. `workerPlacement` of `quern/adapters/read-workers` makes one. */
  readonly placement: WorkerPlacement;
  /** The kernel has opened its storage. Workers may start in the background, now or when `run` asks for one; until one is ready, `run` takes nothing. */
  open(host: ReadWorkersHost): void;
  /** Called before the storage closes; no query runs. Resolves when every worker has ended. Does nothing if they have not been opened. */
  close(): Promise<void>;
  /**
   * Runs a query. Undefined: no worker is ready for this deployment, and the query runs here. Otherwise resolves with the answer, or with undefined when the
   * worker could not run it after all.
   *
   * Rejects with a `QuernError` for the client when the worker ended: it ran out of memory, or out of time.
   */
  run(query: HandedQuery, caller: HandedQueryCaller): Promise<HandedAnswer | undefined> | undefined;
  /** Another schema is served: workers of the one before end when their queries are answered. */
  replaced(): void;
  /** What the server holds of answers that no client has taken has grown, or shrunk, by `bytes`. */
  unsent(bytes: number): void;
  /** For the metrics. */
  readonly counters: ReadWorkersCounters;
}

/** Where an operation runs: in the kernel's thread, or in a worker. */
export type OperationPlace = "here" | "elsewhere";

/**
 * Decides where queries begin, by what they cost and by how their runs went. An operation is the same object for the runs of one document: a key of a WeakMap.
 * The kernel asks for every query that may leave its thread: each method must return at once. One that goes by the cost alone:
 *
 *     const placement: WorkerPlacement = {
 *       of: (_operation, cost) => (cost() < 20_000 ? "here" : "elsewhere"),
 *       ranHere: () => {},
 *       becameLong: () => {},
 *       ranElsewhere: () => {},
 *     };
 */
export interface WorkerPlacement {
  /** @param cost estimates the cost, in nodes, from the plan */
  of(operation: object, cost: () => number): OperationPlace;
  /**
   * A run in the kernel's thread has ended there.
   *
   * @param usedTurns turns of the event loop that it used up
   * @param tookMs what it took, in milliseconds; of use where it used up no turn
   */
  ranHere(operation: object, usedTurns: number, tookMs: number): void;
  /** A run in the kernel's thread went on in a worker, because it was long. */
  becameLong(operation: object): void;
  /** A run in a worker has ended. @param durationMs as `HandedAnswer.durationMs` */
  ranElsewhere(operation: object, durationMs: number): void;
}

/** What read workers do, and have done since they were opened. */
export interface ReadWorkersCounters {
  /** Workers that take queries. */
  readonly ready: number;
  /** Queries that they run now. */
  readonly running: number;
  /** Queries that they were given. */
  readonly handedTotal: number;
  /** Workers that ended on their own, and were replaced. */
  readonly restartsTotal: number;
}

/**
 * What workers need of the kernel for which they read. Its members stay the same until `close`. A worker gets `deployed()`, `settings` and
 * `storage.readers` when it starts, because it cannot reach the kernel's objects:
 *
 *     const worker = new Worker(entry, { workerData: { schema: host.deployed(), settings: host.settings } });
 */
export interface ReadWorkersHost {
  /** Open. It has `readers`. */
  readonly storage: Storage;
  /** The schema that is served now. Undefined: none. */
  readonly deployed: () => { readonly version: number; readonly document: string } | undefined;
  /** How they answer: as the kernel itself. */
  readonly settings: ReadSettings;
  /** Takes what they log. */
  readonly log: Pick<Logger, "write">;
}

/** Settings of a kernel that a worker takes over. Plain data. */
export interface ReadSettings {
  /** All limits, with their defaults. */
  readonly limits: Limits;
  /** As the option `debug` of the configuration. */
  readonly debug: boolean;
  /** As the option `errors` of the configuration. */
  readonly errors: ErrorStyle;
  /** False: answers have no `extensions` but those that clients work with. */
  readonly extensions: boolean;
  readonly logLevel: LogLevel | "silent";
}

/**
 * A query that may run: it was parsed, validated and planned, and its caller is known. Plain data, so that it can be copied to a thread or sent to a
 * process. The worker does not authenticate again: `request.facts` are what plugins found out about the caller, such as the claims of a token.
 */
export interface HandedQuery {
  /** The text of the document. */
  readonly query: string;
  /** Undefined: the document has one operation. */
  readonly operationName: string | undefined;
  /** As the client sent them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** As `GraphQLRequest.as`. */
  readonly as: "caller" | "system";
  /** As `RequestView`. */
  readonly request: {
    readonly id: string;
    readonly now: string;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly facts: Readonly<Record<string, Json>>;
  };
  /** The fields and links that the caller may read; undefined: all. */
  readonly readable: readonly (FieldName | EndName)[] | undefined;
  /** Reads must see this commit. */
  readonly after: CommitToken | undefined;
  /** The deployment that it was planned for. */
  readonly version: number;
  /** The time that it has, in milliseconds. */
  readonly leftMs: number;
  /** For whom it counts where many wait. Undefined: for nobody. */
  readonly caller?: string;
}

/**
 * Who waits for a query that was handed over:
 *
 *     const timer = setTimeout(() => reject(caller.tooLate()), query.leftMs);
 *     caller.onGone(() => cancel(query));
 */
export interface HandedQueryCaller {
  /** The error for a query that takes too long. */
  tooLate(): QuernError;
  /** Calls `listener` when the client has gone. */
  onGone(listener: () => void): void;
}

/**
 * The answer of a worker. Plain data; its pieces can be transferred instead of copied:
 *
 *     port.postMessage(answer, typeof answer.body === "string" ? [] : answer.body.map(({ buffer }) => buffer));
 */
export interface HandedAnswer {
  /** The whole envelope as JSON; in pieces of UTF-8 when it is long. */
  readonly body: string | readonly Uint8Array[];
  /** As `GraphQLAnswer`. */
  readonly requestErrors: boolean;
  /** As `GraphQLAnswer`. */
  readonly retryAfterSeconds?: number;
  readonly outcome: Outcome;
  /** Nodes that the answer shows. */
  readonly shown: number;
  /** Nodes that were read for it. */
  readonly touched: number;
  /** How long the worker had it, in milliseconds. */
  readonly durationMs: number;
}
