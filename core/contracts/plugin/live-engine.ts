// Who runs live queries. A plugin decides when the query of a subscription runs again, and which subscriptions share it. The kernel does the rest: it plans
// operations, plans them again after a deploy, keeps a result for a slow client, and ends subscriptions by tokens, limits and shutdown.

import type { CommitToken, Json, MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import type { ChangeRecord, Gap } from "../change-record.ts";
import type { Snapshot } from "../storage/snapshot.ts";
import type { PluginLog, ServedSchema } from "./kernel-access.ts";

/**
 * Runs the live queries of one kernel. The simplest engine runs each of them again after each commit, and shares none:
 *
 *     function simpleEngine({ changes }: LiveHost): LiveEngine {
 *       const reruns = new Map<LiveClient, () => void>();
 *       let runs = 0;
 *       let stop = () => {};
 *       const all = () => {
 *         for (const rerun of reruns.values()) rerun();
 *       };
 *       const leave = (client: LiveClient) => {
 *         reruns.delete(client);
 *         if (reruns.size === 0) stop();
 *       };
 *       return {
 *         join(client, { run, caller }) {
 *           if (reruns.size === 0) stop = changes(all);
 *           let ran = Promise.resolve();
 *           let last: string | undefined;
 *           const rerun = async () => {
 *             runs++;
 *             const { data, errors, body } = await run({ caller, record: (snapshot) => snapshot });
 *             if (data === undefined) client.fail(errors);
 *             else if (data !== last) client.deliver({ body: body({}) });
 *             last = data;
 *           };
 *           const next = () => {
 *             ran = ran.then(rerun);
 *           };
 *           reruns.set(client, next);
 *           next();
 *           return () => leave(client);
 *         },
 *         invalidateAll: all,
 *         release: () => [...reruns.keys()].forEach(leave),
 *         report: () => ({ total: reruns.size, queries: [] }),
 *         get figures() {
 *           return { queries: reruns.size, due: 0, runs, runsInVain: 0, results: 0 };
 *         },
 *       };
 *     }
 */
export interface LiveEngine {
  /**
   * Takes on a client of an operation that the served schema allows. All clients have operations of one schema until `release`. Calls `client` only
   * after it has returned.
   *
   * @returns called once, when the subscription has ended for any reason, `LiveClient.fail` included
   */
  join(client: LiveClient, operation: LiveOperation): () => void;
  /** Anything may have changed that no change record shows: data were erased, or what callers may see is another. Every query runs again. */
  invalidateAll(): void;
  /**
   * Forgets all clients: another schema is served from now on, or the kernel closes. The functions that `join` returned are not called any more, and what
   * is still sent to these clients is dropped. Stops listening for commits. Resolves when no query runs, so that the store can close.
   */
  release(): MaybePromise<void>;
  /** What runs, for administrators. @param most how many queries are listed, those with the most subscriptions first */
  report(most: number): LiveReport;
  /** Read at each scrape of the metrics. */
  readonly figures: LiveFigures;
}

/** What the kernel gives to an engine. */
export interface LiveHost {
  /** Subscribes to commits, those of other servers on the database included, as `Storage.changes` does. Returns a function that unsubscribes. */
  changes(listener: (event: ChangeRecord | Gap) => void): () => void;
  /**
   * A view of the data, for deciding what a commit affects. It shows every node and has no limits: nothing that it reads is for clients. The caller closes
   * it.
   *
   * @param after the view contains this commit
   */
  snapshot(schema: ServedSchema, after: CommitToken): Snapshot;
  readonly log: PluginLog;
}

/** A planned operation of a subscription, which runs any number of times. */
export interface LiveOperation {
  /** The text of the document. Equal requests share it. */
  readonly document: string;
  /** As the client sent it. */
  readonly operationName: string | undefined;
  /** The name of the operation in the document, `operationName` or not. */
  readonly name: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly schema: ServedSchema;
  /** Of the subscription that is joined. */
  readonly caller: LiveCaller;
  /** Extensions that may read any header of the caller take part in the run. False: only what `run` reads of the `caller` that it is given counts. */
  readonly readsAnyHeader: boolean;
  /** Never rejects: errors are in the result. */
  readonly run: (run: LiveRun) => MaybePromise<LiveResult>;
}

/** All that a result can depend on besides operation and data. Callers who agree in what a run reads of it get the same result. */
export interface LiveCaller {
  /** What plugins found out about it, such as the claims of a token. */
  readonly facts: Readonly<Record<string, Json>>;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** How an operation runs once. */
export interface LiveRun {
  /** As whom it runs. An engine may give a view that notes what is read. */
  readonly caller: LiveCaller;
  /** Gets each snapshot of the run, and returns the one that is read: the same, or one that notes the reads. Access rules are in its conditions. */
  readonly record: (snapshot: Snapshot) => Snapshot;
  /** The run reflects this commit. */
  readonly after?: CommitToken;
}

/** What a run gave. Without errors, equal `data` are an equal result. */
export interface LiveResult {
  readonly errors: readonly LiveError[];
  /** JSON text; undefined: nothing ran. */
  readonly data: string | undefined;
  /** The whole answer as JSON. @param extensions members of `extensions` beside those of the result */
  readonly body: (extensions: Readonly<Record<string, unknown>>) => string;
  /** A fault of the server is among the errors. */
  readonly faulted: boolean;
  /** The first value that was thrown, even if it did not become an error. */
  readonly trouble: unknown;
}

/** An error as clients get it. */
export interface LiveError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** One client of a live query. */
export interface LiveClient {
  /** The token of the last result that it has got, or of one that it had when it subscribed; undefined: it has none. */
  readonly resume: string | undefined;
  /** Under the served schema it has neither had a result nor been found up to date. */
  readonly isWaiting: boolean;
  /** An earlier schema accepted it: errors in the first result under this one do not refuse it. */
  readonly isCarriedOver: boolean;
  /** Sends a result. While the client is not ready the kernel keeps it, in place of an older one. */
  deliver(message: LiveMessage): void;
  /** It has the newest data: the result of its `resume`. A result that waits for it is dropped. */
  upToDate(): void;
  /** Ends it with errors: as refused before the first result, later as failed. */
  fail(errors: readonly LiveError[]): void;
}

/** A result as it is sent. Clients of one query share it. */
export interface LiveMessage {
  /** `{ data, errors, extensions }` as JSON. */
  readonly body: string;
  /** `extensions.resume`: what the client sends to resume from this result. The kernel does not read it. */
  readonly resume?: string | undefined;
}

/** Current values and totals, for the gauges. */
export interface LiveFigures {
  /** Distinct queries that are run for clients. */
  readonly queries: number;
  /** Runs that are due or running, and commits that are not processed; 0: every client has the newest result. */
  readonly due: number;
  /** Runs of queries, since the engine was made. */
  readonly runs: number;
  /** Runs after a commit that found the same data. */
  readonly runsInVain: number;
  /** Results that clients got, since the engine was made. */
  readonly results: number;
  /** How often something that a query depends on was tested against a node that a commit had changed. Absent: the engine does not count them. */
  readonly tests?: number;
}

/** What runs for subscriptions, as administrators see it. Values of documents and conditions are masked: they may be secret. */
export interface LiveReport {
  /** All live queries; `queries` lists a part of them. */
  readonly total: number;
  /** Those with the most subscriptions first, then those that ran most often. */
  readonly queries: readonly LiveQueryReport[];
}

/** One live query and the subscriptions that share it. */
export interface LiveQueryReport {
  /** The operation's name in the document. */
  readonly name: string | undefined;
  /** Strings and numbers are masked; cut to 2,000 characters. */
  readonly document: string;
  readonly subscriptions: number;
  readonly state: "idle" | "queued" | "running";
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly runs: number;
  /** Runs after a commit that found the same data. */
  readonly runsInVain: number;
  readonly lastRunMs: number | undefined;
  /** How often commits woke it. */
  readonly wakes: number;
  readonly lastWake: Wake | undefined;
  /** What of their tokens and headers keeps callers apart: those who agree in it share the query. Names, no values. */
  readonly separatedBy: readonly string[];
  /** What its answer depends on, the first few: a commit that touches nothing of it does not wake the query. */
  readonly dependsOn: readonly string[];
}

/** Why a live query runs again. */
export interface Wake {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly cause: WakeCause;
}

/** What has woken it. */
export type WakeCause =
  /** A commit changed a node that its answer depends on. */
  | {
      readonly kind: "node";
      readonly type: TypeName | undefined;
      readonly uid: Uid;
      readonly change: "created" | "changed" | "removed";
      /** Fields and links that changed, the first few. */
      readonly fields: readonly string[];
    }
  /** A commit changed so many nodes that its record names types only. */
  | { readonly kind: "type"; readonly type: TypeName }
  /** A commit came while the query ran, or anything may have changed: change records were lost, or the query reads what they do not cover. */
  | { readonly kind: "anything" };
