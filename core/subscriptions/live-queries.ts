// The kernel's subscriptions: admission, planning, expiry, and replanning after a deploy. Queries and mutations run once.

import type { Storage } from "../contracts/storage/storage.ts";
import { QuernError } from "../ground/errors.ts";
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
import { disowned, expiryOf } from "./expiry.ts";
import type { LiveEnd, LiveError, LiveRequest, Subscription, SubscriptionObserver } from "./live.ts";
import { type LiveCounters, LiveQueryEngine } from "./live-query-engine.ts";
import type { LiveReport } from "./live-report.ts";
import { recheckCaller } from "./recheck.ts";
import { RunQueue } from "./run-queue.ts";
import { operationKeyOf } from "./sharing-index.ts";
import { Subscriber, shutdown } from "./subscriber.ts";

export interface LiveQueriesOptions {
  readonly storage: Storage;
  readonly limits: Pick<Limits, "maxSubscriptions" | "maxSubscriptionMs">;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** The active schema; undefined: none. */
  readonly deployment: () => Deployment | undefined;
  readonly start: (request: GraphQLRequest) => MaybePromise<LiveStart>;
  readonly execute: (request: GraphQLRequest) => MaybePromise<GraphQLAnswer>;
}

export class LiveQueries {
  readonly #options: LiveQueriesOptions;
  readonly #queue: RunQueue;
  readonly counters: LiveCounters = { runs: 0, unchangedRuns: 0, results: 0 };
  #engine: LiveQueryEngine | undefined;
  #open = 0;
  /** Requests that are being planned, and queries and mutations that run. */
  #starting = 0;
  /** Subscribers whose request is not planned yet under the active schema. */
  readonly #unplanned = new Set<Subscriber>();
  /** Subscribers of an earlier schema that wait to be planned again. */
  readonly #backlog: Subscriber[] = [];
  /** How many planners work on the backlog at the same time. */
  #planners = 0;
  #isClosed = false;

  constructor(options: LiveQueriesOptions) {
    this.#options = options;
    this.#queue = new RunQueue((thrown) => options.log.fault(thrown));
  }

  /** The number of open subscriptions. */
  get subscriptions(): number {
    return this.#open;
  }

  /** The number of distinct queries that are run for them. */
  get queries(): number {
    return this.#engine?.size ?? 0;
  }

  /** The number of runs that are due or running; 0: every subscriber has the newest answer. */
  get due(): number {
    return this.#backlog.length + this.#starting + (this.#engine?.due ?? 0) + this.#queue.length;
  }

  /** What runs for the subscriptions. @param most how many queries are listed */
  report(most: number): LiveReport {
    return this.#engine?.report(most) ?? { total: 0, queries: [] };
  }

  subscribe(request: LiveRequest, observer: SubscriptionObserver): Subscription {
    this.#open++;
    const subscriber = new Subscriber(observer, request, () => {
      this.#open--;
      this.#unplanned.delete(subscriber);
    });
    const start = this.#counted(subscriber, () => this.#start(subscriber));
    const planned = Promise.resolve().then(start);
    return {
      planned,
      drained: () => subscriber.drained(),
      stop: (why) => subscriber.stop(why),
      leave: () => subscriber.leave(),
    };
  }

  /** Runs every query again: anything may have changed. */
  invalidateAll(): void {
    this.#engine?.invalidateAll();
  }

  /** The active schema has changed: plans each operation again, a few at a time. Those that the schema allows continue. */
  replan(): void {
    const waiting = this.#backlog.length;
    this.#engine?.release(this.#backlog);
    this.#engine = undefined;
    const added = this.#backlog.length - waiting;
    if (added === 0) return;
    this.#options.log.info("live", `${added} live queries are planned again under the schema that is served now`, { subscriptions: added });
    for (; this.#planners < maxPlanners; this.#planners++) this.#planLater();
  }

  /** Ends all subscriptions. Later ones start a new engine. */
  end(by: "shutdown" | "draining"): void {
    this.#engine?.release(this.#backlog);
    this.#engine = undefined;
    for (const subscriber of [...this.#backlog, ...this.#unplanned]) subscriber.end({ kind: "interrupted", by });
    this.#backlog.length = 0;
  }

  /** Ends all subscriptions. Resolves when no query is running. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.end("shutdown");
    return this.#queue.idle();
  }

  #planLater(): void {
    this.#queue.add(() => this.#planNext(), { urgent: false });
  }

  /** Plans one subscriber of the backlog, then yields to the queue. */
  #planNext(): MaybePromise<void> {
    const subscriber = this.#backlog.pop();
    if (subscriber === undefined) {
      this.#planners--;
      return;
    }
    const plan = this.#counted(subscriber, () => this.#plan(subscriber));
    return andThen(plan(), () => this.#planLater());
  }

  /** Wraps `plan` so that it counts as due from now until it is done. */
  #counted(subscriber: Subscriber, plan: () => MaybePromise<void>): () => MaybePromise<void> {
    this.#starting++;
    this.#unplanned.add(subscriber);
    const planned = () => rescued(plan, (thrown) => this.#fault(subscriber, thrown));
    return () => andThen(planned(), () => void this.#starting--);
  }

  open(): void {
    this.#isClosed = false;
  }

  #start(subscriber: Subscriber): MaybePromise<void> {
    const { maxSubscriptions } = this.#options.limits;
    if (this.#open <= maxSubscriptions) return this.#plan(subscriber);
    refuse(subscriber, [{ message: `There are ${maxSubscriptions} subscriptions already (limits.maxSubscriptions). Try again later.` }]);
  }

  /** Plans under the active schema. */
  #plan(subscriber: Subscriber): MaybePromise<void> {
    if (subscriber.isOver) return;
    if (this.#isClosed) return subscriber.end(shutdown);
    const { request } = subscriber;
    const deployment = this.#options.deployment();
    return andThen(this.#options.start(request), (start) => {
      if (subscriber.isOver) return;
      // Another schema was deployed meanwhile and may decide otherwise.
      if (start.kind !== "other" && deployment !== this.#options.deployment()) return this.#plan(subscriber);
      this.#unplanned.delete(subscriber);
      if (start.kind === "refused") return refuse(subscriber, start.errors);
      if (start.kind === "live") return this.#join(subscriber, start.operation);
      return request.subscriptionsOnly || subscriber.isCarriedOver
        ? refuse(subscriber, [{ message: notASubscription }])
        : this.#runOnce(subscriber, request);
    });
  }

  #join(subscriber: Subscriber, operation: LiveOperation): void {
    if (!subscriber.isLive) {
      const { leave, errors } = operation.subscribe?.() ?? {};
      if (errors !== undefined) {
        refuse(subscriber, errors);
        return;
      }
      if (leave !== undefined) subscriber.onEnd(leave);
      this.#logOutcome(subscriber, operation);
    }
    subscriber.accept(operation.request);
    subscriber.setExpiry(expiryOf(operation, subscriber.begunAt + this.#options.limits.maxSubscriptionMs));
    subscriber.setRecheck(recheckCaller(operation, (thrown) => this.#disown(subscriber, thrown)));
    if (subscriber.isOver) return;
    this.#engineFor(operation.deployment).join(subscriber, operation, operationKeyOf(subscriber.request, operation));
  }

  /** Its caller is refused from now on. */
  #disown(subscriber: Subscriber, thrown: unknown): void {
    if (thrown instanceof QuernError) subscriber.end(disowned);
    else this.#fault(subscriber, thrown);
  }

  #engineFor(deployment: Deployment): LiveQueryEngine {
    const { storage, log } = this.#options;
    this.#engine ??= new LiveQueryEngine({ storage, log, deployment, queue: this.#queue, counters: this.counters });
    return this.#engine;
  }

  /** Logs one line for each subscription. Runs are logged separately, because one run may serve many subscriptions. */
  #logOutcome(subscriber: Subscriber, { name, view: { id: requestID } }: LiveOperation): void {
    const { telemetry } = this.#options;
    if (!telemetry.writesLines) return;
    const begun = performance.now();
    subscriber.onEnd(() => {
      const { outcome, results } = subscriber;
      telemetry.subscription({ requestID, name, ended: outcome, results, durationMs: performance.now() - begun });
    });
  }

  #runOnce(subscriber: Subscriber, request: LiveRequest): MaybePromise<void> {
    return andThen(this.#options.execute(request), ({ body, requestErrors, kind }) => {
      if (requestErrors || (request.queriesOnly && kind === "mutation")) return refuse(subscriber, errorsIn(body));
      subscriber.deliver({ body, resume: undefined, hash: undefined });
      subscriber.end({ kind: "complete" });
    });
  }

  #fault(subscriber: Subscriber, thrown: unknown): void {
    this.#options.log.fault(thrown);
    const errors = [{ message: panicText }];
    if (subscriber.isCarriedOver) subscriber.end({ kind: "failed", errors });
    else refuse(subscriber, errors);
  }
}

/** Several, because planning may wait for the verification of a token. */
const maxPlanners = 16;

const notASubscription = "given GraphQL operation is not a subscription";

function refuse(subscriber: Subscriber, errors: readonly LiveError[]): void {
  subscriber.end({ kind: subscriber.isCarriedOver ? "redeployed" : "refused", errors } satisfies LiveEnd);
}

/** The errors of an answer without data. */
function errorsIn(body: string): readonly LiveError[] {
  const { errors } = parseJson(body) as { readonly errors?: readonly LiveError[] };
  return errors ?? [];
}
