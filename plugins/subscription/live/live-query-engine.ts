// The live queries of one deployed schema: runs them, invalidates them when a commit may affect them, and sends results to clients.

import {
  type CommitToken,
  type LiveClient,
  type LiveError,
  type LiveHost,
  type LiveOperation,
  type LiveReport,
  type LiveResult,
  QuernError,
  run,
  type ServedSchema,
  type WakeCause,
  type Work,
  wait,
} from "../../../core/plugin.ts";
import type { CommitDelta } from "./commits/commit-delta.ts";
import { ReadLog, RecordingSnapshot } from "./dependencies/recording-snapshot.ts";
import { CommitFeed } from "./invalidation/commit-feed.ts";
import { InvalidationIndex, type RunningQuery, type TestCounters } from "./invalidation/invalidation-index.ts";
import { anything } from "./invalidation/wake.ts";
import { liveReport } from "./live-report.ts";
import { hashOf, isOf, readResume, writeResume } from "./resume-token.ts";
import type { RunQueue } from "./run-queue.ts";
import { RecentAnswers } from "./sharing/recent-answers.ts";
import { type Member, type Result, SharedQuery } from "./sharing/shared-query.ts";
import { operationKeyOf, SharingIndex } from "./sharing/sharing-index.ts";

/** Totals, for gauges and tests. */
export interface LiveCounters extends TestCounters {
  runs: number;
  /** Runs after an invalidation that found the same data. */
  unchangedRuns: number;
  results: number;
}

export interface LiveQueryEngineOptions {
  readonly host: LiveHost;
  readonly schema: ServedSchema;
  readonly queue: RunQueue;
  readonly counters: LiveCounters;
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
  #isOver = false;

  constructor(options: LiveQueryEngineOptions) {
    this.#options = options;
    const { host, schema, counters } = options;
    this.#invalidation = new InvalidationIndex(schema.layout, counters);
    this.#commits = new CommitFeed({
      host,
      schema,
      layout: this.#invalidation.layout,
      registry: this.#invalidation.registry,
      onDelta: (delta) => this.#processed(delta),
      onReadFailure: () => this.invalidateAll(),
    });
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

  // ---- clients --------------------------------------------------------------------------------------------------------

  /** A client with a resume token gets a first result only if the data differ. @returns called when the client leaves */
  join(client: LiveClient, operation: LiveOperation): () => void {
    const member: Member = { client, caller: operation.caller, query: undefined, hasLeft: false };
    const after = client.resume === undefined ? undefined : readResume(client.resume)?.commit;
    this.#enqueueJoin(member, operation, { operationKey: operationKeyOf(operation), after });
    return () => this.#leave(member);
  }

  /** Through the queue, so that many equal subscriptions at once find the query that the first of them has created. */
  #enqueueJoin(member: Member, operation: LiveOperation, target: JoinTarget): void {
    this.#options.queue.add(() => run(this.#assign(member, operation, target)), { urgent: !member.client.isCarriedOver });
  }

  *#assign(member: Member, operation: LiveOperation, { operationKey, after }: JoinTarget): Work<void> {
    if (this.#isOver || member.hasLeft) return;
    this.#commits.listen();
    const known = this.#sharing.find(operationKey, member.caller);
    if (known) return this.#joinExisting(member, known);
    const query = new SharedQuery(operation, operationKey);
    query.after = after;
    this.#queries.add(query);
    attach(member, query);
    query.state = "queued";
    yield* this.#run(query);
  }

  #joinExisting(member: Member, query: SharedQuery): void {
    attach(member, query);
    const isFresh = query.state === "idle" && !query.isStale;
    if (isFresh && query.recentAnswer) this.#sendOne(query.recentAnswer, member);
    else if (isFresh && query.hash !== undefined && isOf(member.client.resume, query.hash)) member.client.upToDate();
    else this.#enqueue(query, { urgent: true });
  }

  #leave(member: Member): void {
    const { query } = member;
    member.hasLeft = true;
    query?.members.delete(member);
    if (query?.members.size === 0) this.#drop(query);
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

  /** Forgets all clients. */
  release(): void {
    this.#isOver = true;
    this.#stop();
    for (const query of this.#queries) {
      query.isOver = true;
      clearTimeout(query.throttleTimer);
    }
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
      this.#options.queue.add(() => run(this.#run(query)), { urgent });
    };
    if (delayMs <= 0) add();
    else query.throttleTimer = setTimeout(add, Math.ceil(delayMs));
  }

  *#run(query: SharedQuery): Work<void> {
    if (query.isOver) return;
    const begun = performance.now();
    const wasStale = query.isStale;
    query.state = "running";
    query.isStale = false;
    const running = this.#invalidation.beginRun();
    this.#options.counters.runs++;
    query.runs++;
    const reads = new ReadLog();
    const result = yield* wait(
      query.operation.run({
        caller: query.reads.track(query.caller),
        record: (snapshot) => new RecordingSnapshot(snapshot, reads, this.#invalidation.layout),
        ...this.#minCommit(query),
      }),
    );
    try {
      yield* this.#applyResult(query, result, { reads, wasStale, running });
    } catch (thrown) {
      this.#fail(query, thrown);
    }
    this.#invalidation.endRun(running);
    this.#afterRun(query, begun);
  }

  /** A run reflects every commit that was processed before it began, and the commit that its client has seen on another server. */
  #minCommit({ after = "" }: SharedQuery): { readonly after?: CommitToken } {
    const latest = after > this.#commits.processedUpTo ? after : this.#commits.processedUpTo;
    return latest === "" ? {} : { after: latest };
  }

  /** A fault of the engine itself. */
  #fail(query: SharedQuery, thrown: unknown): void {
    this.#options.host.log.fault(thrown);
    this.#failAll(query, [{ message: "Internal Server Error", extensions: { code: "INTERNAL", retryable: false } }]);
  }

  #afterRun(query: SharedQuery, begun: number): void {
    if (query.isOver) return;
    const now = performance.now();
    query.lastRunMs = now - begun;
    query.throttledUntil = Math.max(begun + minIntervalMs, now + Math.min((now - begun) * throttleFactor, maxThrottleMs));
    if (query.failures > 0) query.throttledUntil = now + Math.min(100 * 2 ** query.failures, maxRetryMs);
    query.state = "idle";
    if (query.isStale || hasWaiting(query)) this.#enqueue(query, { urgent: !query.isStale });
  }

  *#applyResult(query: SharedQuery, result: LiveResult, { reads, wasStale, running }: RunFacts): Work<void> {
    if (query.isOver) return;
    if (isTransient(result.trouble)) return this.#retry(query, result);
    if (result.faulted || result.data === undefined) return this.#failAll(query, result.errors);
    query.failures = 0;
    query.after = undefined;
    query.at = reads.at ?? query.at;
    if (this.#invalidation.update(query, reads, running)) {
      query.isStale = true;
      wake(query, anything);
    }
    this.#split(query);
    if (query.members.size === 0) return this.#drop(query);
    if (this.#merge(query)) return;
    const hash = hashOf(result.data);
    const isChanged = hash !== query.hash;
    if (wasStale && !isChanged) {
      this.#options.counters.unchangedRuns++;
      query.runsInVain++;
    }
    query.hash = hash;
    const resume = writeResume({ commit: query.at, hash });
    const { errors, body } = result;
    const written: Result = { body: body({ resume }), resume, hash };
    this.#recentAnswers.keep(query, errors.length > 0 ? undefined : written);
    if (errors.length > 0) refuseNew(query, errors);
    yield* this.#send(written, isChanged ? [...query.members] : waitingMembers(query));
  }

  /** The store was unavailable. Clients with an answer keep it; the others are refused. */
  #retry(query: SharedQuery, { errors, trouble }: LiveResult): void {
    query.isStale = true;
    if (query.after !== undefined && trouble instanceof QuernError && trouble.code === "VIEW_EXPIRED") {
      // The commit in a client's token may be one that this store never had.
      query.after = undefined;
      return;
    }
    query.failures++;
    refuseNew(query, errors);
  }

  #failAll(query: SharedQuery, errors: readonly LiveError[]): void {
    for (const { client } of [...query.members]) client.fail(errors);
  }

  /** The plan has read more of the caller than before: members that differ in it move to other queries. */
  #split(query: SharedQuery): void {
    const paths = query.reads.paths();
    if (query.signature === undefined || query.signature === paths.signature) return;
    const key = paths.keyOf(query.caller);
    for (const member of [...query.members]) {
      if (paths.keyOf(member.caller) === key) continue;
      detach(member);
      const operation = { ...query.operation, caller: member.caller };
      this.#enqueueJoin(member, operation, { operationKey: query.operationKey, after: undefined });
    }
  }

  /** Moves all members to an earlier query with the same sharing key. Returns whether there is one. */
  #merge(query: SharedQuery): boolean {
    const first = this.#sharing.add(query);
    if (first === query) return false;
    for (const member of [...query.members]) {
      detach(member);
      this.#joinExisting(member, first);
    }
    this.#drop(query);
    return true;
  }

  // ---- results --------------------------------------------------------------------------------------------------------

  /** Sends the same text to all; lets other work run when there are many. */
  *#send(result: Result, members: readonly Member[]): Work<void> {
    for (const [i, member] of members.entries()) {
      this.#sendOne(result, member);
      if (i % 16 === 15) yield;
    }
  }

  #sendOne(result: Result, { client }: Member): void {
    this.#options.counters.results++;
    if (isOf(client.resume, result.hash)) client.upToDate();
    else client.deliver(result);
  }

  // ---- commits --------------------------------------------------------------------------------------------------------

  #processed(delta: CommitDelta): void {
    this.#invalidation.recordDuringRuns(delta);
    if (delta.everything) for (const query of this.#queries) this.#invalidate(query, anything);
    this.#invalidation.visitAffected(delta, (query, cause) => this.#invalidate(query, cause));
  }

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

interface RunFacts {
  readonly reads: ReadLog;
  /** A commit woke the query. */
  readonly wasStale: boolean;
  readonly running: RunningQuery;
}

function attach(member: Member, query: SharedQuery): void {
  member.query = query;
  query.members.add(member);
}

/** On the way to another query. */
function detach(member: Member): void {
  member.query?.members.delete(member);
  member.query = undefined;
}

function waitingMembers(query: SharedQuery): readonly Member[] {
  return [...query.members].filter(({ client }) => client.isWaiting);
}

/** Errors before the first result refuse a subscription. One that an earlier schema accepted continues. */
function refuseNew(query: SharedQuery, errors: readonly LiveError[]): void {
  for (const { client } of waitingMembers(query)) if (!client.isCarriedOver) client.fail(errors);
}

function hasWaiting(query: SharedQuery): boolean {
  for (const { client } of query.members) if (client.isWaiting) return true;
  return false;
}

const transientCodes: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "VIEW_EXPIRED", "CONFLICT"]);

function isTransient(trouble: unknown): boolean {
  return trouble instanceof QuernError && transientCodes.has(trouble.code);
}
