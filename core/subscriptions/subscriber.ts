// One subscriber: what it has seen, what waits for it, and its end.

import type { SubscriptionOutcome } from "../telemetry/telemetry.ts";
import { callAt } from "./deadline.ts";
import type { Expiry } from "./expiry.ts";
import type { LiveEnd, LiveRequest, StopReason, SubscriptionObserver } from "./live.ts";

/** An answer, written once for all who get it. */
export interface Result {
  readonly body: string;
  readonly resume: string | undefined;
  /** Of the data; undefined for answers that are never compared. */
  readonly hash: string | undefined;
}

const never: Expiry = { at: Number.POSITIVE_INFINITY, end: { kind: "interrupted", by: "shutdown" } };
const nothing = (): void => {};
export const shutdown: LiveEnd = Object.freeze({ kind: "interrupted", by: "shutdown" });

export class Subscriber {
  readonly begunAt = Date.now();
  readonly #subscriber: SubscriptionObserver;
  readonly #onEnd: () => void;
  /** What it asks: planned again under each schema that is deployed. */
  request: LiveRequest;
  /** Of the data that the client has. */
  seen: string | undefined;
  /** The token of that data. */
  resume: string | undefined;
  /** The engine owes it a decision under the schema that is served: a result, or that it has the newest. */
  isNew = true;
  /** It was accepted under an earlier schema. */
  goesOn = false;
  #isLive = false;
  #isLeaving = false;
  #expiry = never;
  #stopWaiting = nothing;
  #leaveGroup = nothing;
  #waiting: Result | undefined;
  #endAfterwards: LiveEnd | undefined;
  #results = 0;
  #ended: SubscriptionOutcome = "client";
  #over = false;
  /** What has to be called off when it ends. */
  readonly #cleanups: (() => void)[] = [];

  /** @param onEnd called once, when the subscription is over for whatever reason */
  constructor(subscriber: SubscriptionObserver, request: LiveRequest, onEnd: () => void) {
    this.#subscriber = subscriber;
    this.request = request;
    this.resume = request.resume;
    this.#onEnd = onEnd;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** It is a subscription that was accepted. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Results it was sent. */
  get results(): number {
    return this.#results;
  }

  /** Why it is over, once it is. */
  get ended(): SubscriptionOutcome {
    return this.#ended;
  }

  atEnd(cleanup: () => void): void {
    if (this.#over) cleanup();
    else this.#cleanups.push(cleanup);
  }

  /** It is a subscription that may go on, and `request` is what has to be kept of it. */
  accepted(request: LiveRequest): void {
    this.request = request;
    this.#isLive = true;
  }

  /** @param leave called once: when it ends, or when it is in another group */
  entered(leave: () => void): void {
    this.#leaveGroup = leave;
  }

  /** Sends nothing from that time on however late the timer. Takes the place of the expiry that was set before. */
  expire(expiry: Expiry | undefined): void {
    this.#stopWaiting();
    this.#expiry = expiry ?? never;
    this.#stopWaiting = expiry === undefined ? nothing : callAt(expiry.at, () => this.end(expiry.end));
  }

  /** Its schema is served no more, and an answer that waits is none of the next one. What was sent counts: only what differs from it is sent. */
  withoutGroup(): this {
    this.#waiting = undefined;
    this.#leaveGroup = nothing;
    this.goesOn ||= !this.isNew;
    this.isNew = true;
    return this;
  }

  /** What the client has is the newest. */
  isUpToDate(): void {
    this.isNew = false;
    this.#leaveIfDue();
  }

  /** Sends `result`, or keeps it in the place of whatever waits already. */
  tell(result: Result): void {
    if (this.#over) return;
    if (Date.now() >= this.#expiry.at) {
      this.end(this.#expiry.end);
      return;
    }
    this.isNew = false;
    this.#waiting = undefined;
    if (result.hash !== undefined && result.hash === this.seen) {
      this.#leaveIfDue();
      return;
    }
    if (!this.#subscriber.ready()) {
      this.#waiting = result;
      return;
    }
    this.seen = result.hash;
    this.resume = result.resume;
    this.#results++;
    this.#subscriber.next(result.body, result.resume);
    this.#leaveIfDue();
  }

  drained(): void {
    const result = this.#waiting;
    if (result !== undefined && !this.#over) this.tell(result);
    if (this.#waiting === undefined && this.#endAfterwards) this.end(this.#endAfterwards);
  }

  /** An operation that is done has its result delivered first; any other end is delivered at once. */
  end(why: LiveEnd): void {
    if (this.#over) return;
    if (this.#waiting !== undefined && why.kind === "complete") {
      this.#endAfterwards = why;
      return;
    }
    this.#finish(endedBy(why));
    this.#subscriber.end(why);
  }

  /** The server stops: see `Subscription.leave`. */
  leave(): void {
    this.#isLeaving = true;
    this.#leaveIfDue();
  }

  stop(why: StopReason = "client"): void {
    this.#finish(why);
  }

  #leaveIfDue(): void {
    const isFirstDue = this.isNew || (this.#waiting !== undefined && this.#results === 0);
    if (this.#isLeaving && this.#isLive && (this.goesOn || !isFirstDue)) this.end(shutdown);
  }

  #finish(ended: SubscriptionOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#ended = ended;
    this.#waiting = undefined;
    this.#stopWaiting();
    this.#leaveGroup();
    for (const each of this.#cleanups.splice(0)) each();
    this.#onEnd();
  }
}

function endedBy({ kind }: LiveEnd): SubscriptionOutcome {
  if (kind === "complete") return "done";
  return kind === "interrupted" ? "shutdown" : kind;
}
