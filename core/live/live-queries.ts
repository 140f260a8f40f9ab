// Subscriptions as the kernel offers them: who may subscribe, until when, and where queries and mutations go.

import type { Limits } from "../config/limits.ts";
import type { Storage } from "../contracts/storage.ts";
import type { MaybePromise } from "../contracts/values.ts";
import type { Deployment } from "../deploy/deployment.ts";
import { parseJson } from "../json/parse-json.ts";
import { andThen, rescued } from "../maybe-promise.ts";
import type { Log } from "../observe/log.ts";
import type { Watch } from "../observe/watch.ts";
import { panicText } from "../pipeline/faults.ts";
import type { LiveOperation, LiveStart } from "../pipeline/live-operation.ts";
import type { GraphQLAnswer, GraphQLRequest } from "../pipeline/request.ts";
import { familyOf } from "./families.ts";
import { Hub, type LiveCounters } from "./hub.ts";
import type { LiveEnd, LiveError, LiveRequest, Subscriber, Subscription } from "./live.ts";
import { Member } from "./member.ts";
import { RunQueue } from "./run-queue.ts";

export interface LiveQueriesOptions {
  readonly storage: Storage;
  readonly limits: Pick<Limits, "maxSubscriptions" | "maxSubscriptionMs">;
  readonly log: Log;
  readonly watch: Watch;
  /** What is served now. */
  readonly deployment: () => Deployment | undefined;
  readonly start: (request: GraphQLRequest) => MaybePromise<LiveStart>;
  readonly execute: (request: GraphQLRequest) => MaybePromise<GraphQLAnswer>;
}

export class LiveQueries {
  readonly #options: LiveQueriesOptions;
  readonly #queue: RunQueue;
  readonly counters: LiveCounters = { runs: 0, vainRuns: 0, results: 0 };
  #hub: Hub | undefined;
  #members = 0;
  /** Those of whom nobody knows yet what they ask. */
  #beginning = 0;
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
    return this.#beginning + (this.#hub?.due ?? 0) + this.#queue.length;
  }

  subscribe(request: LiveRequest, subscriber: Subscriber): Subscription {
    this.#members++;
    this.#beginning++;
    const member = new Member(subscriber, () => this.#members--);
    queueMicrotask(
      () =>
        void andThen(
          rescued(
            () => this.#begin(member, request),
            (thrown) => this.#fault(member, thrown),
          ),
          () => void this.#beginning--,
        ),
    );
    return {
      drained: () => member.drained(),
      stop: (why) => member.stop(why),
    };
  }

  /** Everything may have changed. */
  wakeAll(): void {
    this.#hub?.wakeAll();
  }

  /** Ends all subscriptions; those that come later begin anew. */
  end(why: "redeployed" | "shutdown"): void {
    const hub = this.#hub;
    this.#hub = undefined;
    hub?.end({ kind: "complete", why });
  }

  /** Resolves when no query is running any more. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.end("shutdown");
    return this.#queue.idle();
  }

  open(): void {
    this.#isClosed = false;
  }

  #begin(member: Member, request: LiveRequest): MaybePromise<void> {
    if (member.isOver) return;
    if (this.#isClosed) return member.end({ kind: "complete", why: "shutdown" });
    const { maxSubscriptions } = this.#options.limits;
    if (this.#members > maxSubscriptions) {
      return refuse(member, [{ message: `There are ${maxSubscriptions} subscriptions already (limits.maxSubscriptions). Try again later.` }]);
    }
    return andThen(this.#options.start(request), (start) => {
      if (member.isOver) return;
      if (start.kind === "refused") return refuse(member, start.errors);
      if (start.kind === "live") return this.#join(member, start.operation, request);
      return request.subscriptionsOnly ? refuse(member, [{ message: notASubscription }]) : this.#runOnce(member, request);
    });
  }

  #join(member: Member, operation: LiveOperation, request: LiveRequest): void {
    const { deployment } = operation;
    if (deployment !== this.#options.deployment() || this.#isClosed) {
      member.end({ kind: "complete", why: this.#isClosed ? "shutdown" : "redeployed" });
      return;
    }
    this.#watchEnd(member, operation);
    const until = Math.min(expiryOf(operation), Date.now() + this.#options.limits.maxSubscriptionMs);
    if (until < Number.POSITIVE_INFINITY) member.expireAt(until);
    if (member.isOver) return;
    if (this.#hub?.deployment !== deployment) this.end("redeployed");
    const { storage, log } = this.#options;
    this.#hub ??= new Hub({ storage, log, deployment, queue: this.#queue, counters: this.counters });
    this.#hub.join(member, operation, { family: familyOf(request, operation), resume: request.resume });
  }

  /** Its runs are told one by one, and a run may serve many: this is the client's own line. */
  #watchEnd(member: Member, { name, view }: LiveOperation): void {
    const { watch } = this.#options;
    if (!watch.writesLines) return;
    const begun = performance.now();
    member.atEnd(() => {
      const { ended, results } = member;
      watch.subscription({ requestID: view.id, name, ended, results, durationMs: performance.now() - begun });
    });
  }

  #runOnce(member: Member, request: LiveRequest): MaybePromise<void> {
    return andThen(this.#options.execute(request), ({ body, requestErrors, kind }) => {
      if (requestErrors || (request.queriesOnly && kind === "mutation")) return refuse(member, errorsIn(body));
      member.tell({ body, resume: undefined, hash: undefined });
      member.end({ kind: "complete", why: "done" });
    });
  }

  #fault(member: Member, thrown: unknown): void {
    this.#options.log.fault(thrown);
    refuse(member, [{ message: panicText }]);
  }
}

const notASubscription = "given GraphQL operation is not a subscription";

function refuse(member: Member, errors: readonly LiveError[]): void {
  member.end({ kind: "refused", errors } satisfies LiveEnd);
}

/** The earliest end of what plugins know of who asks. */
function expiryOf({ deployment, view }: LiveOperation): number {
  return Math.min(...deployment.hooks.flatMap(({ hooks }) => hooks.until?.(view) ?? []));
}

/** Of an answer that is nothing but errors. */
function errorsIn(body: string): readonly LiveError[] {
  const { errors } = parseJson(body) as { readonly errors?: readonly LiveError[] };
  return errors ?? [];
}
