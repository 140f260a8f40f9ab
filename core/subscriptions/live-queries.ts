// Subscriptions as the kernel offers them: who may subscribe, until when, and where queries and mutations go.

import type { Storage } from "../contracts/storage.ts";
import { parseJson } from "../ground/json/parse-json.ts";
import type { Limits } from "../ground/limits.ts";
import { andThen, rescued } from "../ground/maybe-promise.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import { panicText } from "../request/faults.ts";
import type { LiveOperation, LiveStart } from "../request/live-operation.ts";
import type { GraphQLAnswer, GraphQLRequest } from "../request/request.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { Log } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { expiryOf } from "./expiry.ts";
import type { LiveEnd, LiveError, LiveRequest, Subscription, SubscriptionObserver } from "./live.ts";
import { type LiveCounters, LiveQueryEngine } from "./live-query-engine.ts";
import { RunQueue } from "./run-queue.ts";
import { sharingKeyOf } from "./sharing-index.ts";
import { Subscriber, shutdown } from "./subscriber.ts";

export interface LiveQueriesOptions {
  readonly storage: Storage;
  readonly limits: Pick<Limits, "maxSubscriptions" | "maxSubscriptionMs">;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** What is served now. */
  readonly deployment: () => Deployment | undefined;
  readonly start: (request: GraphQLRequest) => MaybePromise<LiveStart>;
  readonly execute: (request: GraphQLRequest) => MaybePromise<GraphQLAnswer>;
}

export class LiveQueries {
  readonly #options: LiveQueriesOptions;
  readonly #queue: RunQueue;
  readonly counters: LiveCounters = { runs: 0, vainRuns: 0, results: 0 };
  #hub: LiveQueryEngine | undefined;
  #members = 0;
  /** Requests that are planned, and queries and mutations that run. */
  #beginning = 0;
  /** Those of whom nobody knows yet what they ask under the schema that is served. */
  readonly #unplanned = new Set<Subscriber>();
  /** Those who have subscribed under an earlier schema and wait until they are planned under this one. */
  readonly #backlog: Subscriber[] = [];
  /** How many of them are planned at the same time. */
  #planners = 0;
  #isClosed = false;

  constructor(options: LiveQueriesOptions) {
    this.#options = options;
    this.#queue = new RunQueue((thrown) => options.log.fault(thrown));
  }

  /** Subscriptions that are open. */
  get subscriptions(): number {
    return this.#members;
  }

  /** Queries that are run for them: equal ones are one. */
  get queries(): number {
    return this.#hub?.size ?? 0;
  }

  /** Runs that are due or under way: 0 when everybody has an answer, and every answer is the newest. */
  get due(): number {
    return this.#backlog.length + this.#beginning + (this.#hub?.due ?? 0) + this.#queue.length;
  }

  subscribe(request: LiveRequest, subscriber: SubscriptionObserver): Subscription {
    this.#members++;
    const member = new Subscriber(subscriber, request, () => {
      this.#members--;
      this.#unplanned.delete(member);
    });
    const begin = this.#inTime(member, () => this.#begin(member));
    queueMicrotask(() => void begin());
    return {
      drained: () => member.drained(),
      stop: (why) => member.stop(why),
      leave: () => member.leave(),
    };
  }

  /** Everything may have changed. */
  wakeAll(): void {
    this.#hub?.wakeAll();
  }

  /** Another schema is served, or none: each operation is planned again under it, a few at a time, and goes on if it still may. */
  replan(): void {
    const waiting = this.#backlog.length;
    this.#hub?.disband(this.#backlog);
    this.#hub = undefined;
    const added = this.#backlog.length - waiting;
    if (added === 0) return;
    this.#options.log.info("live", `${added} live queries are planned again under the schema that is served now`, { subscriptions: added });
    for (; this.#planners < maxPlanners; this.#planners++) this.#planLater();
  }

  /** Ends all subscriptions; those that are opened later begin anew. */
  end(by: "shutdown" | "draining"): void {
    this.#hub?.disband(this.#backlog);
    this.#hub = undefined;
    for (const member of [...this.#backlog, ...this.#unplanned]) member.end({ kind: "interrupted", by });
    this.#backlog.length = 0;
  }

  /** Resolves when no query is running any more. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.end("shutdown");
    return this.#queue.idle();
  }

  #planLater(): void {
    this.#queue.add(() => this.#planNext(), { urgent: false });
  }

  /** Of those who wait for it, one; then the queue has its turn. */
  #planNext(): MaybePromise<void> {
    const member = this.#backlog.pop();
    if (member === undefined) {
      this.#planners--;
      return;
    }
    const plan = this.#inTime(member, () => this.#plan(member));
    return andThen(plan(), () => this.#planLater());
  }

  /** As a job that counts as due from now on until it is done. */
  #inTime(member: Subscriber, plan: () => MaybePromise<void>): () => MaybePromise<void> {
    this.#beginning++;
    this.#unplanned.add(member);
    const planned = () => rescued(plan, (thrown) => this.#fault(member, thrown));
    return () => andThen(planned(), () => void this.#beginning--);
  }

  open(): void {
    this.#isClosed = false;
  }

  #begin(member: Subscriber): MaybePromise<void> {
    const { maxSubscriptions } = this.#options.limits;
    if (this.#members <= maxSubscriptions) return this.#plan(member);
    refuse(member, [{ message: `There are ${maxSubscriptions} subscriptions already (limits.maxSubscriptions). Try again later.` }]);
  }

  /** Under the schema that is served now. */
  #plan(member: Subscriber): MaybePromise<void> {
    if (member.isOver) return;
    if (this.#isClosed) return member.end(shutdown);
    const { request } = member;
    const deployment = this.#options.deployment();
    return andThen(this.#options.start(request), (start) => {
      if (member.isOver) return;
      // Another one was deployed meanwhile, and may decide otherwise.
      if (start.kind !== "other" && deployment !== this.#options.deployment()) return this.#plan(member);
      this.#unplanned.delete(member);
      if (start.kind === "refused") return refuse(member, start.errors);
      if (start.kind === "live") return this.#join(member, start.operation);
      return request.subscriptionsOnly || member.goesOn ? refuse(member, [{ message: notASubscription }]) : this.#runOnce(member, request);
    });
  }

  #join(member: Subscriber, operation: LiveOperation): void {
    if (!member.isLive) this.#watchEnd(member, operation);
    member.accepted(operation.request);
    member.expire(expiryOf(operation, member.begunAt + this.#options.limits.maxSubscriptionMs));
    if (member.isOver) return;
    this.#hubOf(operation.deployment).join(member, operation, sharingKeyOf(member.request, operation));
  }

  #hubOf(deployment: Deployment): LiveQueryEngine {
    const { storage, log } = this.#options;
    this.#hub ??= new LiveQueryEngine({ storage, log, deployment, queue: this.#queue, counters: this.counters });
    return this.#hub;
  }

  /** Its runs are told one by one, and a run may serve many: this is the client's own line. */
  #watchEnd(member: Subscriber, { name, view: { id: requestID } }: LiveOperation): void {
    const { telemetry } = this.#options;
    if (!telemetry.writesLines) return;
    const begun = performance.now();
    member.atEnd(() => {
      const { ended, results } = member;
      telemetry.subscription({ requestID, name, ended, results, durationMs: performance.now() - begun });
    });
  }

  #runOnce(member: Subscriber, request: LiveRequest): MaybePromise<void> {
    return andThen(this.#options.execute(request), ({ body, requestErrors, kind }) => {
      if (requestErrors || (request.queriesOnly && kind === "mutation")) return refuse(member, errorsIn(body));
      member.tell({ body, resume: undefined, hash: undefined });
      member.end({ kind: "complete" });
    });
  }

  #fault(member: Subscriber, thrown: unknown): void {
    this.#options.log.fault(thrown);
    const errors = [{ message: panicText }];
    if (member.goesOn) member.end({ kind: "failed", errors });
    else refuse(member, errors);
  }
}

/** As many as may wait for the verification of a token. */
const maxPlanners = 16;

const notASubscription = "given GraphQL operation is not a subscription";

function refuse(member: Subscriber, errors: readonly LiveError[]): void {
  member.end({ kind: member.goesOn ? "redeployed" : "refused", errors } satisfies LiveEnd);
}

/** Of an answer that is nothing but errors. */
function errorsIn(body: string): readonly LiveError[] {
  const { errors } = parseJson(body) as { readonly errors?: readonly LiveError[] };
  return errors ?? [];
}
