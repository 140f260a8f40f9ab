// The live queries of one deployed schema: runs them, invalidates them when a commit may affect them, and sends results to subscribers.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Storage } from "../contracts/storage/storage.ts";
import { QuernError } from "../ground/errors.ts";
import { andThen, rescued } from "../ground/maybe-promise.ts";
import type { CommitToken, MaybePromise } from "../ground/values/value.ts";
import { writeEnvelope } from "../request/envelope.ts";
import type { LiveOperation, LiveResult } from "../request/live-operation.ts";
import { RunningRequest } from "../request/request-view.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { Log } from "../telemetry/log.ts";
import { CommitFeed } from "./commit-feed.ts";
import type { Caller } from "./fact-tracker.ts";
import { InvalidationIndex } from "./invalidation-index.ts";
import type { LiveEnd } from "./live.ts";
import { type LiveReport, liveReport } from "./live-report.ts";
import { RecentAnswers } from "./recent-answers.ts";
import { ReadLog, RecordingSnapshot } from "./recording-snapshot.ts";
import { hashOf, readResume, writeResume } from "./resume-token.ts";
import { maxBusyMs, type RunQueue } from "./run-queue.ts";
import { SharedQuery } from "./shared-query.ts";
import { SharingIndex } from "./sharing-index.ts";
import type { Result, Subscriber } from "./subscriber.ts";
import { anything, type WakeCause } from "./wake.ts";

/** Totals, for gauges and tests. */
export interface LiveCounters {
  runs: number;
  /** Runs after an invalidation that found the same data. */
  unchangedRuns: number;
  results: number;
}

export interface LiveQueryEngineOptions {
  readonly storage: Storage;
  readonly deployment: Deployment;
  readonly queue: RunQueue;
  readonly counters: LiveCounters;
  readonly log: Log;
}

/** After a run a query waits four times as long as the run took, so that it takes at most a fifth of the processor. */
const throttleFactor = 4;
/** The least time between the starts of two runs: commits in a burst share one run. */
const minIntervalMs = 5;
const maxThrottleMs = 1_000;
const maxRetryMs = 5_000;

export class LiveQueryEngine {
  readonly #options: LiveQueryEngineOptions;
  readonly #invalidation: InvalidationIndex;
  readonly #sharing = new SharingIndex();
  readonly #queries = new Set<SharedQuery>();
  readonly #commits: CommitFeed<SharedQuery>;
  readonly #recentAnswers = new RecentAnswers();
  /** Subscribers that are queued to join a query. */
  readonly #joining = new Set<Subscriber>();
  #isOver = false;

  constructor(options: LiveQueryEngineOptions) {
    this.#options = options;
    const { storage, deployment, log } = options;
    this.#invalidation = new InvalidationIndex(deployment.layout);
    this.#commits = new CommitFeed({
      storage,
      version: deployment.version,
      layout: this.#invalidation.layout,
      registry: this.#invalidation.registry,
      log,
      onDelta: (delta) => {
        this.#invalidation.recordDuringRuns(delta);
        if (delta.everything) for (const query of this.#queries) this.#invalidate(query, anything);
        this.#invalidation.visitAffected(delta, (query, cause) => this.#invalidate(query, cause));
      },
      onReadFailure: () => this.invalidateAll(),
    });
  }

  get deployment(): Deployment {
    return this.#options.deployment;
  }

  get size(): number {
    return this.#queries.size;
  }

  /** @param most how many queries are listed */
  report(most: number): LiveReport {
    return liveReport(this.#queries, most);
  }

  /** The number of queries that run or are queued, and of unprocessed commit batches; 0: every answer is the newest. */
  get due(): number {
    let due = this.#commits.isProcessing ? 1 : 0;
    for (const query of this.#queries) if (query.state !== "idle") due++;
    return due;
  }

  // ---- subscribers ---------------------------------------------------------------------------------------------------

  /** Adds a subscriber. A client with a resume token gets a first result only if the data differ. */
  join(subscriber: Subscriber, operation: LiveOperation, operationKey: string): void {
    const resumed = subscriber.resume === undefined ? undefined : readResume(subscriber.resume);
    subscriber.seenHash = resumed?.hash;
    this.#enqueueJoin(subscriber, operation, { operationKey, after: resumed?.commit });
  }

  /** Through the queue, so that many equal subscriptions at once find the query that the first of them has created. */
  #enqueueJoin(subscriber: Subscriber, operation: LiveOperation, target: JoinTarget): void {
    this.#joining.add(subscriber);
    this.#options.queue.add(() => this.#assign(subscriber, operation, target), { urgent: !subscriber.isCarriedOver });
  }

  #assign(subscriber: Subscriber, operation: LiveOperation, { operationKey, after }: JoinTarget): MaybePromise<void> {
    if (this.#isOver) return;
    this.#joining.delete(subscriber);
    if (subscriber.isOver) return;
    this.#commits.listen();
    const { facts, headers } = operation.view;
    const caller = { facts, headers };
    const known = this.#sharing.find(operationKey, caller);
    if (known) return this.#joinExisting(subscriber, caller, known);
    const query = new SharedQuery(operation, operationKey);
    query.after = after;
    this.#queries.add(query);
    this.#attach(subscriber, caller, query);
    query.state = "queued";
    return this.#run(query);
  }

  #joinExisting(subscriber: Subscriber, caller: Caller, query: SharedQuery): void {
    this.#attach(subscriber, caller, query);
    const isFresh = query.state === "idle" && !query.isStale;
    if (isFresh && query.recentAnswer) this.#send(query.recentAnswer, [subscriber]);
    else if (isFresh && query.hash !== undefined && subscriber.seenHash === query.hash) subscriber.markUpToDate();
    else this.#enqueue(query, { urgent: true });
  }

  #attach(subscriber: Subscriber, caller: Caller, query: SharedQuery): void {
    query.subscribers.set(subscriber, caller);
    subscriber.attach(() => {
      query.subscribers.delete(subscriber);
      if (query.subscribers.size === 0) this.#drop(query);
    });
  }

  #drop(query: SharedQuery): void {
    query.isOver = true;
    clearTimeout(query.throttleTimer);
    this.#queries.delete(query);
    this.#recentAnswers.forget(query);
    this.#sharing.remove(query);
    this.#invalidation.forget(query);
    if (this.#queries.size === 0) this.#stopListeningSoon();
  }

  /** Stops the engine without ending subscriptions: moves all subscribers to `subscribers`. */
  release(subscribers: Subscriber[]): void {
    this.#isOver = true;
    this.#stop();
    for (const subscriber of this.#joining) subscribers.push(subscriber.detach());
    for (const query of this.#queries) {
      for (const subscriber of query.subscribers.keys()) subscribers.push(subscriber.detach());
      query.isOver = true;
      clearTimeout(query.throttleTimer);
    }
    this.#joining.clear();
    this.#queries.clear();
  }

  // ---- runs -----------------------------------------------------------------------------------------------------------

  #invalidate(query: SharedQuery, cause: WakeCause): void {
    if (query.isStale || query.isOver) return;
    query.isStale = true;
    wake(query, cause);
    this.#enqueue(query, { urgent: false });
  }

  #enqueue(query: SharedQuery, { urgent }: { readonly urgent: boolean }): void {
    const isThrottled = query.throttleTimer !== undefined;
    if (query.state !== "idle" && !(urgent && isThrottled)) return;
    clearTimeout(query.throttleTimer);
    query.throttleTimer = undefined;
    query.state = "queued";
    const delayMs = urgent ? 0 : query.throttledUntil - performance.now();
    const add = () => {
      query.throttleTimer = undefined;
      this.#options.queue.add(() => this.#run(query), { urgent });
    };
    if (delayMs <= 0) add();
    else query.throttleTimer = setTimeout(add, Math.ceil(delayMs));
  }

  #run(query: SharedQuery): MaybePromise<void> {
    if (query.isOver) return;
    const begun = performance.now();
    const wasStale = query.isStale;
    query.state = "running";
    query.isStale = false;
    this.#invalidation.beginRun();
    this.#options.counters.runs++;
    query.runs++;
    const reads = new ReadLog();
    const { facts, headers } = query.reads.track(query.caller);
    const ran = query.operation.run({
      view: new RunningRequest(headers, facts),
      recordReads: (snapshot) => new RecordingSnapshot(snapshot, reads),
      ...this.#minCommit(query),
    });
    return andThen(ran, (result) =>
      andThen(
        rescued(
          () => this.#applyResult(query, result, { reads, wasStale }),
          (thrown) => this.#fail(query, thrown),
        ),
        () => this.#afterRun(query, begun),
      ),
    );
  }

  /** A run reflects every commit that was processed before it began, and the commit that its client has seen on another server. */
  #minCommit({ after = "" }: SharedQuery): { readonly after?: CommitToken } {
    const latest = after > this.#commits.processedUpTo ? after : this.#commits.processedUpTo;
    return latest === "" ? {} : { after: latest };
  }

  /** A fault of the engine itself. */
  #fail(query: SharedQuery, thrown: unknown): void {
    this.#options.log.fault(thrown);
    this.#endAll(query, { kind: "failed", errors: [{ message: "Internal Server Error" }] });
  }

  #afterRun(query: SharedQuery, begun: number): void {
    this.#invalidation.endRun();
    if (query.isOver) return;
    const now = performance.now();
    query.lastRunMs = now - begun;
    query.throttledUntil = Math.max(begun + minIntervalMs, now + Math.min((now - begun) * throttleFactor, maxThrottleMs));
    if (query.failures > 0) query.throttledUntil = now + Math.min(100 * 2 ** query.failures, maxRetryMs);
    query.state = "idle";
    if (query.isStale || hasPending(query)) this.#enqueue(query, { urgent: !query.isStale });
  }

  #applyResult(
    query: SharedQuery,
    result: LiveResult,
    { reads, wasStale }: { readonly reads: ReadLog; readonly wasStale: boolean },
  ): MaybePromise<void> {
    if (query.isOver) return;
    if (isTransient(result.trouble)) return this.#retry(query, result);
    if (result.faulted || result.data === undefined) return this.#endAll(query, failure(result));
    query.failures = 0;
    query.after = undefined;
    query.at = reads.at ?? query.at;
    if (this.#invalidation.update(query, reads)) {
      query.isStale = true;
      wake(query, anything);
    }
    this.#split(query);
    if (query.subscribers.size === 0) return this.#drop(query);
    if (this.#merge(query)) return;
    const hash = hashOf(result.data);
    const isChanged = hash !== query.hash;
    if (wasStale && !isChanged) {
      this.#options.counters.unchangedRuns++;
      query.runsInVain++;
    }
    query.hash = hash;
    const resume = writeResume({ commit: query.at, hash });
    const { errors, data, extensions } = result;
    const written: Result = { body: writeEnvelope({ errors, data, extensions: { ...extensions, resume } }), resume, hash };
    this.#recentAnswers.keep(query, errors.length > 0 ? undefined : written);
    if (errors.length > 0) refusePending(query, errors);
    const due = isChanged ? [...query.subscribers.keys()] : pendingSubscribers(query);
    return this.#send(written, due);
  }

  /** The store was unavailable. Subscribers with an answer keep it; the others are refused. */
  #retry(query: SharedQuery, { errors, trouble }: LiveResult): void {
    query.isStale = true;
    if (query.after !== undefined && trouble instanceof QuernError && trouble.code === "VIEW_EXPIRED") {
      // The commit in a client's token may be one that this store never had.
      query.after = undefined;
      return;
    }
    query.failures++;
    refusePending(query, errors);
  }

  #endAll(query: SharedQuery, why: LiveEnd & { readonly kind: "failed" }): void {
    for (const subscriber of [...query.subscribers.keys()])
      subscriber.end(subscriber.isPending && !subscriber.isCarriedOver ? { kind: "refused", errors: why.errors } : why);
  }

  /** The plan has read more of the caller than before: subscribers that differ in it move to other queries. */
  #split(query: SharedQuery): void {
    const paths = query.reads.paths();
    if (query.signature === undefined || query.signature === paths.signature) return;
    const key = paths.keyOf(query.caller);
    for (const [subscriber, caller] of [...query.subscribers]) {
      if (paths.keyOf(caller) === key) continue;
      query.subscribers.delete(subscriber);
      const operation = { ...query.operation, view: new RunningRequest(caller.headers, caller.facts) };
      this.#enqueueJoin(subscriber, operation, { operationKey: query.operationKey, after: undefined });
    }
  }

  /** Moves all subscribers to an earlier query with the same sharing key. Returns whether there is one. */
  #merge(query: SharedQuery): boolean {
    const first = this.#sharing.add(query);
    if (first === query) return false;
    for (const [subscriber, caller] of [...query.subscribers]) {
      query.subscribers.delete(subscriber);
      this.#joinExisting(subscriber, caller, first);
    }
    this.#drop(query);
    return true;
  }

  // ---- results --------------------------------------------------------------------------------------------------------

  /** Sends the same text to all; yields to other work when there are many. */
  #send(result: Result, subscribers: readonly Subscriber[]): MaybePromise<void> {
    this.#options.counters.results += subscribers.length;
    if (subscribers.length > 100) return sendInSlices(result, subscribers);
    for (const subscriber of subscribers) subscriber.deliver(result);
  }

  // ---- commits --------------------------------------------------------------------------------------------------------

  #stopListeningSoon(): void {
    setImmediate(() => {
      if (this.#queries.size === 0) this.#stop();
    });
  }

  #stop(): void {
    this.#commits.stop();
    this.#recentAnswers.stop();
  }

  /** Runs every query again: anything may have changed without a change record. */
  invalidateAll(): void {
    for (const query of this.#queries) {
      query.isStale = false;
      this.#invalidate(query, anything);
    }
    this.#invalidation.recordUnknownChange();
  }
}

function wake(query: SharedQuery, cause: WakeCause): void {
  query.wakes++;
  query.lastWake = { at: Date.now(), cause };
}

interface JoinTarget {
  readonly operationKey: string;
  /** The commit that the client's last result reflects. */
  readonly after: CommitToken | undefined;
}

function pendingSubscribers(query: SharedQuery): readonly Subscriber[] {
  return [...query.subscribers.keys()].filter((subscriber) => subscriber.isPending);
}

/** Errors before the first result refuse a subscription. One that an earlier schema accepted continues. */
function refusePending(query: SharedQuery, errors: LiveResult["errors"]): void {
  for (const subscriber of pendingSubscribers(query)) if (!subscriber.isCarriedOver) subscriber.end({ kind: "refused", errors });
}

function hasPending(query: SharedQuery): boolean {
  for (const subscriber of query.subscribers.keys()) if (subscriber.isPending) return true;
  return false;
}

function failure({ errors }: LiveResult): LiveEnd & { readonly kind: "failed" } {
  return { kind: "failed", errors };
}

const transientCodes: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "VIEW_EXPIRED", "CONFLICT"]);

function isTransient(trouble: unknown): boolean {
  return trouble instanceof QuernError && transientCodes.has(trouble.code);
}

async function sendInSlices(result: Result, subscribers: readonly Subscriber[]): Promise<void> {
  let sliceBegun = performance.now();
  for (const subscriber of subscribers) {
    subscriber.deliver(result);
    if (performance.now() - sliceBegun < maxBusyMs) continue;
    await nextTurn();
    sliceBegun = performance.now();
  }
}
