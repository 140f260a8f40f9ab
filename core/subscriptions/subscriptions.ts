// The kernel's subscriptions: admission, planning, expiry, and replanning after a deploy. A plugin's engine runs live queries; queries and mutations run once.

import type { LiveEngine, LiveError, LiveReport } from "../contracts/plugin/live-engine.ts";
import type { RequestView } from "../contracts/plugin/request-view.ts";
import type { ErrorStyle } from "../ground/error-style.ts";
import { QuernError } from "../ground/errors.ts";
import { parseJson } from "../ground/json/parse-json.ts";
import type { Limits } from "../ground/limits.ts";
import { andThen, rescued } from "../ground/maybe-promise.ts";
import { nextTurn } from "../ground/turns.ts";
import type { MaybePromise } from "../ground/values/value.ts";
import { run, type Work, wait } from "../ground/work.ts";
import type { FailedField } from "../query/operation-context.ts";
import type { GraphQLAnswer, GraphQLRequest } from "../request/caller/request.ts";
import { internalError } from "../request/errors/faults.ts";
import type { LiveStart, PreparedSubscription } from "../request/operation/live-operation.ts";
import type { Deployment } from "../schema/deployment/deployment.ts";
import type { Log } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { disowned, expiryOf } from "./expiry.ts";
import type { LiveEnd, LiveRequest, Subscription, SubscriptionObserver } from "./live.ts";
import { isSameCaller, recheckCaller } from "./recheck.ts";
import { Subscriber, shutdown } from "./subscriber.ts";

export interface SubscriptionsOptions {
  /** Undefined: no schema has live queries. */
  readonly engine: LiveEngine | undefined;
  readonly limits: Pick<Limits, "maxSubscriptions" | "maxSubscriptionMs">;
  /** How errors are worded. */
  readonly style: ErrorStyle;
  /** Releases the clients of the engine, or rejects when it does not end in time. */
  readonly release: (() => MaybePromise<void>) | undefined;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** The active schema; undefined: none. */
  readonly deployment: () => Deployment | undefined;
  readonly start: (request: GraphQLRequest) => MaybePromise<LiveStart>;
  readonly execute: (request: GraphQLRequest) => MaybePromise<GraphQLAnswer>;
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  /** Those that have not ended. */
  readonly #open = new Set<Subscriber>();
  /** Requests that are being planned, and queries and mutations that run. */
  #starting = 0;
  /** Subscribers whose request is not planned yet under the active schema. */
  readonly #unplanned = new Set<Subscriber>();
  /** Subscribers of an earlier schema that wait to be planned again. */
  readonly #backlog: Subscriber[] = [];
  /** How many planners work on the backlog at the same time. */
  #planners = 0;
  #isClosed = false;
  /** How often callers were to be identified again. */
  #rechecks = 0;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** The number of open subscriptions. */
  get size(): number {
    return this.#open.size;
  }

  /** The number of runs that are due or running; 0: every subscriber has the newest answer. */
  get due(): number {
    return this.#backlog.length + this.#starting + (this.#options.engine?.figures.due ?? 0);
  }

  /** What runs for the subscriptions. @param most how many queries are listed */
  report(most: number): LiveReport {
    return this.#options.engine?.report(most) ?? { total: 0, queries: [] };
  }

  subscribe(request: LiveRequest, observer: SubscriptionObserver): Subscription {
    const onEnd = () => {
      this.#open.delete(subscriber);
      this.#unplanned.delete(subscriber);
    };
    const subscriber = new Subscriber(observer, request, { style: this.#options.style, onEnd });
    this.#open.add(subscriber);
    const start = this.#counted(subscriber, this.#start(subscriber));
    const planned = Promise.resolve().then(() => run(start));
    return {
      planned,
      drained: () => subscriber.drained(),
      stop: (why) => subscriber.stop(why),
      leave: () => subscriber.leave(),
    };
  }

  /** Runs every query again: anything may have changed. */
  invalidateAll(): void {
    this.#options.engine?.invalidateAll();
  }

  /** Identifies callers again. Ends the subscriptions of those who are refused, or others than they were. */
  recheck(which: (request: RequestView) => boolean = everybody): void {
    this.#rechecks++;
    for (const subscriber of [...this.#open]) {
      const { operation, isSeated } = subscriber;
      // One that is being planned is identified again before it begins.
      if (!isSeated || operation === undefined || !which(operation.view)) continue;
      const checked = andThen(
        rescued(
          () => isSameCaller(operation),
          (thrown) => this.#refusal(thrown),
        ),
        (isSame) => isSame || subscriber.end(disowned),
      );
      void checked;
    }
  }

  /** Who cannot be identified gets nothing more. */
  #refusal(thrown: unknown): false {
    if (!(thrown instanceof QuernError)) this.#options.log.fault(thrown, { where: "recheck" });
    return false;
  }

  /** The active schema has changed: plans each operation again, a few at a time. Those that the schema allows continue. */
  replan(): void {
    void this.#release();
    const live = [...this.#open].filter(({ isSeated }) => isSeated);
    if (live.length === 0) return;
    for (const subscriber of live) this.#backlog.push(subscriber.unseat());
    this.#options.log.info("live", `${live.length} live queries are planned again under the schema that is served now`, {
      subscriptions: live.length,
    });
    for (; this.#planners < maxPlanners; this.#planners++) void this.#logged(() => run(this.#planBacklog()));
  }

  /** Ends all subscriptions. Resolves when no query is running. Queries and mutations that run end with their results. */
  end(by: "shutdown" | "draining"): MaybePromise<void> {
    const released = this.#release();
    for (const subscriber of [...this.#open]) {
      if (subscriber.isLive) subscriber.unseat();
      if (subscriber.isLive || this.#unplanned.has(subscriber)) subscriber.end({ kind: "interrupted", by });
    }
    this.#backlog.length = 0;
    return released;
  }

  /** Ends all subscriptions. Resolves when no query is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.end("shutdown");
  }

  open(): void {
    this.#isClosed = false;
  }

  /** A fault of the engine keeps no store open. */
  #release(): MaybePromise<void> {
    return this.#logged(() => this.#options.release?.());
  }

  /** Faults are logged. */
  #logged(work: () => MaybePromise<void>): MaybePromise<void> {
    return rescued(work, (thrown) => this.#options.log.fault(thrown));
  }

  *#planBacklog(): Work<void> {
    try {
      yield* wait(nextTurn());
      for (let subscriber = this.#backlog.pop(); subscriber !== undefined; subscriber = this.#backlog.pop()) {
        yield* this.#counted(subscriber, this.#plan(subscriber));
        yield;
      }
    } finally {
      this.#planners--;
    }
  }

  /** Counts as due from now until `plan` is done. */
  #counted(subscriber: Subscriber, plan: Work<void>): Work<void> {
    this.#starting++;
    this.#unplanned.add(subscriber);
    return this.#finished(subscriber, plan);
  }

  *#finished(subscriber: Subscriber, plan: Work<void>): Work<void> {
    try {
      yield* plan;
    } catch (thrown) {
      this.#fault(subscriber, thrown);
    }
    this.#starting--;
  }

  *#start(subscriber: Subscriber): Work<void> {
    const { maxSubscriptions } = this.#options.limits;
    if (this.#open.size <= maxSubscriptions) yield* this.#plan(subscriber);
    else refuse(subscriber, [tooMany(maxSubscriptions)]);
  }

  /** Plans under the active schema. */
  *#plan(subscriber: Subscriber): Work<void> {
    for (;;) {
      if (subscriber.isOver) return;
      if (this.#isClosed) return subscriber.end(shutdown);
      const deployment = this.#options.deployment();
      const rechecks = this.#rechecks;
      const start = yield* wait(this.#options.start(subscriber.request));
      if (subscriber.isOver) return;
      // Another schema was deployed meanwhile and may decide otherwise; or the caller may no longer be whom it was taken for.
      const isCurrent = deployment === this.#options.deployment() && rechecks === this.#rechecks;
      if (start.kind === "other" || isCurrent) return yield* this.#begin(subscriber, start);
    }
  }

  *#begin(subscriber: Subscriber, start: LiveStart): Work<void> {
    this.#unplanned.delete(subscriber);
    if (start.kind === "refused") refuse(subscriber, start.errors);
    else if (start.kind === "live") this.#join(subscriber, start.operation);
    else if (subscriber.request.subscriptionsOnly || subscriber.isCarriedOver) refuse(subscriber, [notASubscription]);
    else yield* this.#runOnce(subscriber);
  }

  #join(subscriber: Subscriber, operation: PreparedSubscription): void {
    const { engine, limits } = this.#options;
    if (engine === undefined) throw new TypeError("A schema with live queries was deployed without an engine for them.");
    if (!subscriber.isLive && !this.#accept(subscriber, operation)) return;
    subscriber.accept(operation);
    subscriber.setExpiry(expiryOf(operation, subscriber.begunAt + limits.maxSubscriptionMs));
    subscriber.setRecheck(recheckCaller(operation, (thrown) => this.#disown(subscriber, thrown)));
    if (!subscriber.isOver) subscriber.sit((client) => engine.join(client, operation));
  }

  /** Counts it for its caller, and logs how it ends. False: its caller has as many as it may. */
  #accept(subscriber: Subscriber, operation: PreparedSubscription): boolean {
    const { leave, errors } = operation.subscribe?.() ?? {};
    if (errors !== undefined) refuse(subscriber, errors);
    if (leave !== undefined) subscriber.onEnd(leave);
    if (errors === undefined) this.#logOutcome(subscriber, operation);
    return errors === undefined;
  }

  /** Its caller is refused from now on. */
  #disown(subscriber: Subscriber, thrown: unknown): void {
    if (thrown instanceof QuernError) subscriber.end(disowned);
    else this.#fault(subscriber, thrown);
  }

  /** Logs one line for each subscription. Runs are logged separately, because one run may serve many subscriptions. */
  #logOutcome(subscriber: Subscriber, { name, view: { id: requestID } }: PreparedSubscription): void {
    const { telemetry } = this.#options;
    if (!telemetry.writesLines) return;
    const begun = performance.now();
    subscriber.onEnd(() => {
      const { outcome, results } = subscriber;
      telemetry.subscription({ requestID, name, ended: outcome, results, durationMs: performance.now() - begun });
    });
  }

  *#runOnce(subscriber: Subscriber): Work<void> {
    const { request } = subscriber;
    const { body, requestErrors, kind } = yield* wait(this.#options.execute(request));
    if (requestErrors || (request.queriesOnly && kind === "mutation")) return refuse(subscriber, errorsIn(body));
    subscriber.deliver({ body });
    subscriber.end({ kind: "complete" });
  }

  #fault(subscriber: Subscriber, thrown: unknown): void {
    this.#options.log.fault(thrown);
    const errors = [internalError];
    if (subscriber.isCarriedOver) subscriber.end({ kind: "failed", errors });
    else refuse(subscriber, errors);
  }
}

/** Several, because planning may wait for the verification of a token. */
const maxPlanners = 16;

const everybody = () => true;

const notASubscription = { code: "REQUEST_INVALID", message: "given GraphQL operation is not a subscription" } as const;

function tooMany(most: number): FailedField {
  return { code: "OVERLOADED", message: `There are ${most} subscriptions already (limits.maxSubscriptions). Try again later.` };
}

function refuse(subscriber: Subscriber, errors: readonly FailedField[]): void {
  subscriber.end({ kind: subscriber.isCarriedOver ? "redeployed" : "refused", errors } satisfies LiveEnd);
}

/** The errors of an answer without data. */
function errorsIn(body: string): readonly LiveError[] {
  const { errors } = parseJson(body) as { readonly errors?: readonly LiveError[] };
  return errors ?? [];
}
