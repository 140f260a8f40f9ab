// The live queries of one deployed schema: runs them, watches what is committed, wakes those that it may concern, and tells who subscribed.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Storage } from "../contracts/storage.ts";
import { QuernError } from "../ground/errors.ts";
import { andThen, rescued } from "../ground/maybe-promise.ts";
import type { CommitToken, MaybePromise } from "../ground/values/value.ts";
import { writeEnvelope } from "../request/envelope.ts";
import type { LiveOperation, LiveResult } from "../request/live-operation.ts";
import { RunningRequest } from "../request/request-view.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { Log } from "../telemetry/log.ts";
import { Commits } from "./commits.ts";
import type { Asker } from "./fact-reads.ts";
import { InvalidationIndex } from "./invalidation-index.ts";
import type { LiveEnd } from "./live.ts";
import { ReadLog, RecordingSnapshot } from "./recording-snapshot.ts";
import { hashOf, readResume, writeResume } from "./resume-token.ts";
import { maxBusyMs, type RunQueue } from "./run-queue.ts";
import { SharedQuery } from "./shared-query.ts";
import { SharingIndex } from "./sharing-index.ts";
import type { Result, Subscriber } from "./subscriber.ts";
import { RecentAnswers } from "./warm-answers.ts";

/** What the engine has done, for gauges and tests. */
export interface LiveCounters {
  runs: number;
  /** Runs after a commit that found the data as they were. */
  vainRuns: number;
  results: number;
}

export interface LiveQueryEngineOptions {
  readonly storage: Storage;
  readonly deployment: Deployment;
  readonly queue: RunQueue;
  readonly counters: LiveCounters;
  readonly log: Log;
}

/** A group that has run rests four times as long as the run took, so that it never has more than a fifth of the processor. */
const restFactor = 4;
/** Commits that come in a burst are seen together. */
const minIntervalMs = 5;
const maxRestMs = 1_000;
const maxRetryMs = 5_000;

export class LiveQueryEngine {
  readonly #options: LiveQueryEngineOptions;
  readonly #concerns: InvalidationIndex;
  readonly #families = new SharingIndex();
  readonly #groups = new Set<SharedQuery>();
  readonly #commits: Commits<SharedQuery>;
  readonly #warm = new RecentAnswers();
  /** Those who wait for their turn to find a group. */
  readonly #joining = new Set<Subscriber>();
  #isOver = false;

  constructor(options: LiveQueryEngineOptions) {
    this.#options = options;
    const { storage, deployment, log } = options;
    this.#concerns = new InvalidationIndex(deployment.layout);
    this.#commits = new Commits({
      storage,
      version: deployment.version,
      layout: this.#concerns.layout,
      registry: this.#concerns.registry,
      log,
      touched: (touches) => {
        this.#concerns.keep(touches);
        if (touches.everything) for (const group of this.#groups) this.#wake(group);
        this.#concerns.each(touches, (group) => this.#wake(group));
      },
      // Whatever may be concerned is run.
      blind: () => this.wakeAll(),
    });
  }

  get deployment(): Deployment {
    return this.#options.deployment;
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Queries that run or are about to, and commits that nobody has looked at: 0 when every answer is the newest. */
  get due(): number {
    let due = this.#commits.isLooking ? 1 : 0;
    for (const group of this.#groups) if (group.state !== "idle") due++;
    return due;
  }

  // ---- who subscribes -------------------------------------------------------------------------------------------------

  /** A client that has some data already gets a result if it differs from those. */
  join(member: Subscriber, operation: LiveOperation, family: string): void {
    const seen = member.resume === undefined ? undefined : readResume(member.resume);
    member.seen = seen?.hash;
    this.#placeInTurn(member, operation, { family, after: seen?.commit });
  }

  /** In turn, so that many who ask for the same at once find the group that the first of them has made. */
  #placeInTurn(member: Subscriber, operation: LiveOperation, place: Place): void {
    this.#joining.add(member);
    this.#options.queue.add(() => this.#place(member, operation, place), { urgent: !member.goesOn });
  }

  #place(member: Subscriber, operation: LiveOperation, { family, after }: Place): MaybePromise<void> {
    if (this.#isOver) return;
    this.#joining.delete(member);
    if (member.isOver) return;
    this.#commits.listen();
    const { facts, headers } = operation.view;
    const asker = { facts, headers };
    const known = this.#families.find(family, asker);
    if (known) return this.#admit(member, asker, known);
    const group = new SharedQuery(operation, family);
    group.after = after;
    this.#groups.add(group);
    this.#enter(member, asker, group);
    group.state = "queued";
    return this.#run(group);
  }

  #admit(member: Subscriber, asker: Asker, group: SharedQuery): void {
    this.#enter(member, asker, group);
    const isFresh = group.state === "idle" && !group.woken;
    if (isFresh && group.newest) this.#send(group.newest, [member]);
    else if (isFresh && group.hash !== undefined && member.seen === group.hash) member.isUpToDate();
    else this.#enqueue(group, { urgent: true });
  }

  #enter(member: Subscriber, asker: Asker, group: SharedQuery): void {
    group.members.set(member, asker);
    member.entered(() => {
      group.members.delete(member);
      if (group.members.size === 0) this.#drop(group);
    });
  }

  #drop(group: SharedQuery): void {
    group.isOver = true;
    clearTimeout(group.rest);
    this.#groups.delete(group);
    this.#warm.forget(group);
    this.#families.remove(group);
    this.#concerns.forget(group);
    if (this.#groups.size === 0) this.#stopListeningSoon();
  }

  /** Runs nothing any more, and sends nobody anything: all who subscribed go to `members`. */
  disband(members: Subscriber[]): void {
    this.#isOver = true;
    this.#stop();
    for (const member of this.#joining) members.push(member.withoutGroup());
    for (const group of this.#groups) {
      for (const member of group.members.keys()) members.push(member.withoutGroup());
      group.isOver = true;
      clearTimeout(group.rest);
    }
    this.#joining.clear();
    this.#groups.clear();
  }

  // ---- runs -----------------------------------------------------------------------------------------------------------

  #wake(group: SharedQuery): void {
    if (group.woken || group.isOver) return;
    group.woken = true;
    this.#enqueue(group, { urgent: false });
  }

  #enqueue(group: SharedQuery, { urgent }: { readonly urgent: boolean }): void {
    const isResting = group.rest !== undefined;
    if (group.state !== "idle" && !(urgent && isResting)) return;
    clearTimeout(group.rest);
    group.rest = undefined;
    group.state = "queued";
    const restMs = urgent ? 0 : group.restsUntil - performance.now();
    const add = () => {
      group.rest = undefined;
      this.#options.queue.add(() => this.#run(group), { urgent });
    };
    if (restMs <= 0) add();
    else group.rest = setTimeout(add, Math.ceil(restMs));
  }

  #run(group: SharedQuery): MaybePromise<void> {
    if (group.isOver) return;
    const begun = performance.now();
    const wasWoken = group.woken;
    group.state = "running";
    group.woken = false;
    this.#concerns.runBegins();
    this.#options.counters.runs++;
    const reads = new ReadLog();
    const { facts, headers } = group.reads.watched(group.asker);
    const ran = group.operation.run({
      view: new RunningRequest(headers, facts),
      recordReads: (snapshot) => new RecordingSnapshot(snapshot, reads),
      ...this.#asOf(group),
    });
    return andThen(ran, (result) =>
      andThen(
        rescued(
          () => this.#ran(group, result, { reads, wasWoken }),
          (thrown) => this.#fail(group, thrown),
        ),
        () => this.#settle(group, begun),
      ),
    );
  }

  /** A run sees everything that was looked at before it began, and what its client has seen elsewhere. */
  #asOf({ after = "" }: SharedQuery): { readonly after?: CommitToken } {
    const latest = after > this.#commits.lookedAt ? after : this.#commits.lookedAt;
    return latest === "" ? {} : { after: latest };
  }

  /** A fault of the engine itself. */
  #fail(group: SharedQuery, thrown: unknown): void {
    this.#options.log.fault(thrown);
    this.#endAll(group, { kind: "failed", errors: [{ message: "Internal Server Error" }] });
  }

  #settle(group: SharedQuery, begun: number): void {
    this.#concerns.runEnds();
    if (group.isOver) return;
    const now = performance.now();
    group.restsUntil = Math.max(begun + minIntervalMs, now + Math.min((now - begun) * restFactor, maxRestMs));
    if (group.failures > 0) group.restsUntil = now + Math.min(100 * 2 ** group.failures, maxRetryMs);
    group.state = "idle";
    if (group.woken || hasNewcomers(group)) this.#enqueue(group, { urgent: !group.woken });
  }

  #ran(group: SharedQuery, result: LiveResult, { reads, wasWoken }: { readonly reads: ReadLog; readonly wasWoken: boolean }): MaybePromise<void> {
    if (group.isOver) return;
    if (isPassing(result.trouble)) return this.#tryAgain(group, result);
    if (result.faulted || result.data === undefined) return this.#endAll(group, failure(result));
    group.failures = 0;
    group.after = undefined;
    group.at = reads.at ?? group.at;
    if (this.#concerns.renew(group, reads)) group.woken = true;
    this.#split(group);
    if (group.members.size === 0) return this.#drop(group);
    if (this.#merge(group)) return;
    const hash = hashOf(result.data);
    const isChanged = hash !== group.hash;
    if (wasWoken && !isChanged) this.#options.counters.vainRuns++;
    group.hash = hash;
    const resume = writeResume({ commit: group.at, hash });
    const { errors, data, extensions } = result;
    const written: Result = { body: writeEnvelope({ errors, data, extensions: { ...extensions, resume } }), resume, hash };
    this.#warm.keep(group, errors.length > 0 ? undefined : written);
    if (errors.length > 0) refuseNewcomers(group, errors);
    const due = isChanged ? [...group.members.keys()] : newcomers(group);
    return this.#send(written, due);
  }

  /** The store was away for a moment. Who has an answer keeps it; who has none is told. */
  #tryAgain(group: SharedQuery, { errors, trouble }: LiveResult): void {
    group.woken = true;
    if (group.after !== undefined && trouble instanceof QuernError && trouble.code === "VIEW_EXPIRED") {
      // The commit that a client named may be one that this store never had.
      group.after = undefined;
      return;
    }
    group.failures++;
    refuseNewcomers(group, errors);
  }

  #endAll(group: SharedQuery, why: LiveEnd & { readonly kind: "failed" }): void {
    for (const member of [...group.members.keys()]) member.end(member.isNew && !member.goesOn ? { kind: "refused", errors: why.errors } : why);
  }

  /** The plan looked at more of who asks than before: members who differ in that get groups of their own. */
  #split(group: SharedQuery): void {
    const places = group.reads.places();
    if (group.signature === undefined || group.signature === places.signature) return;
    const key = places.keyOf(group.asker);
    for (const [member, asker] of [...group.members]) {
      if (places.keyOf(asker) === key) continue;
      group.members.delete(member);
      const operation = { ...group.operation, view: new RunningRequest(asker.headers, asker.facts) };
      this.#placeInTurn(member, operation, { family: group.family, after: undefined });
    }
  }

  /** @returns whether all members have gone over to a group that was there first */
  #merge(group: SharedQuery): boolean {
    const first = this.#families.settle(group);
    if (first === group) return false;
    for (const [member, asker] of [...group.members]) {
      group.members.delete(member);
      this.#admit(member, asker, first);
    }
    this.#drop(group);
    return true;
  }

  // ---- results --------------------------------------------------------------------------------------------------------

  /** The same text for all; other work runs between where they are many. */
  #send(result: Result, members: readonly Subscriber[]): MaybePromise<void> {
    this.#options.counters.results += members.length;
    if (members.length > 100) return sendInTurns(result, members);
    for (const member of members) member.tell(result);
  }

  // ---- commits --------------------------------------------------------------------------------------------------------

  #stopListeningSoon(): void {
    setImmediate(() => {
      if (this.#groups.size === 0) this.#stop();
    });
  }

  #stop(): void {
    this.#commits.stop();
    this.#warm.stop();
  }

  /** Anything may have changed, without a commit that says so. */
  wakeAll(): void {
    for (const group of this.#groups) {
      group.woken = false;
      this.#wake(group);
    }
    this.#concerns.keepEverything();
  }
}

interface Place {
  readonly family: string;
  /** The commit that the client has seen. */
  readonly after: CommitToken | undefined;
}

function newcomers(group: SharedQuery): readonly Subscriber[] {
  return [...group.members.keys()].filter((member) => member.isNew);
}

/** Errors before its first result refuse a subscription; one that an earlier schema has accepted goes on. */
function refuseNewcomers(group: SharedQuery, errors: LiveResult["errors"]): void {
  for (const member of newcomers(group)) if (!member.goesOn) member.end({ kind: "refused", errors });
}

function hasNewcomers(group: SharedQuery): boolean {
  for (const member of group.members.keys()) if (member.isNew) return true;
  return false;
}

function failure({ errors }: LiveResult): LiveEnd & { readonly kind: "failed" } {
  return { kind: "failed", errors };
}

const passing: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "VIEW_EXPIRED", "CONFLICT"]);

function isPassing(trouble: unknown): boolean {
  return trouble instanceof QuernError && passing.has(trouble.code);
}

async function sendInTurns(result: Result, members: readonly Subscriber[]): Promise<void> {
  let freeAt = performance.now();
  for (const member of members) {
    member.tell(result);
    if (performance.now() - freeAt < maxBusyMs) continue;
    await nextTurn();
    freeAt = performance.now();
  }
}
