// One subscriber: the result that its client has, the result that is pending, and its end.

import type { SubscriptionOutcome } from "../telemetry/telemetry.ts";
import { callAt } from "./deadline.ts";
import type { Expiry } from "./expiry.ts";
import type { LiveEnd, LiveRequest, StopReason, SubscriptionObserver } from "./live.ts";

/** An answer, serialized once for all its subscribers. */
export interface Result {
  readonly body: string;
  readonly resume: string | undefined;
  /** Of the data; undefined: the answer is never compared with another. */
  readonly hash: string | undefined;
}

const never: Expiry = { at: Number.POSITIVE_INFINITY, end: { kind: "interrupted", by: "shutdown" } };
const nothing = (): void => {};
export const shutdown: LiveEnd = Object.freeze({ kind: "interrupted", by: "shutdown" });

export class Subscriber {
  readonly begunAt = Date.now();
  readonly #observer: SubscriptionObserver;
  readonly #onEnd: () => void;
  /** Planned again under each schema that is deployed. */
  request: LiveRequest;
  /** The hash of the data that the client has. */
  seenHash: string | undefined;
  /** The resume token of that data. */
  resume: string | undefined;
  /** Under the active schema it has neither had a result nor been found up to date. */
  isPending = true;
  /** An earlier schema accepted it, so that the active one may end it but not refuse it. */
  isCarriedOver = false;
  #isLive = false;
  #isLeaving = false;
  #expiry = never;
  #cancelExpiry = nothing;
  #cancelRecheck = nothing;
  #detach = nothing;
  #pendingResult: Result | undefined;
  #endAfterResult: LiveEnd | undefined;
  #results = 0;
  #outcome: SubscriptionOutcome = "client";
  #isOver = false;
  /** Run when it ends. */
  readonly #cleanups: (() => void)[] = [];

  /** @param onEnd called once, when the subscription ends for any reason */
  constructor(observer: SubscriptionObserver, request: LiveRequest, onEnd: () => void) {
    this.#observer = observer;
    this.request = request;
    this.resume = request.resume;
    this.#onEnd = onEnd;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** It was accepted as a live query. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** The number of results that were sent. */
  get results(): number {
    return this.#results;
  }

  /** Why it ended; meaningful only when it is over. */
  get outcome(): SubscriptionOutcome {
    return this.#outcome;
  }

  /** Calls `cleanup` when the subscription ends; at once if it has ended. */
  onEnd(cleanup: () => void): void {
    if (this.#isOver) cleanup();
    else this.#cleanups.push(cleanup);
  }

  /** Accepts it as a live query. @param request what to keep of the request, to plan it again */
  accept(request: LiveRequest): void {
    this.request = request;
    this.#isLive = true;
  }

  /** @param detach called once, when the subscription ends or joins another query */
  attach(detach: () => void): void {
    this.#detach = detach;
  }

  /** Nothing is sent after the expiry, even if its timer is late. Replaces the previous expiry. */
  setExpiry(expiry: Expiry | undefined): void {
    this.#cancelExpiry();
    this.#expiry = expiry ?? never;
    this.#cancelExpiry = expiry === undefined ? nothing : callAt(expiry.at, () => this.end(expiry.end));
  }

  /** @param cancel ends the checks of its caller; called when it ends, or when other checks replace these */
  setRecheck(cancel: () => void): void {
    this.#cancelRecheck();
    this.#cancelRecheck = cancel;
  }

  /** Its schema is replaced: drops the pending result, keeps the hash of the last one sent. Returns itself. */
  detach(): this {
    this.#pendingResult = undefined;
    this.#detach = nothing;
    this.isCarriedOver ||= !this.isPending;
    this.isPending = true;
    return this;
  }

  /** The client has the newest data. */
  markUpToDate(): void {
    this.isPending = false;
    this.#endIfLeaving();
  }

  /** Sends `result`. Keeps it while the client is not ready, in place of an older one. */
  deliver(result: Result): void {
    if (this.#isOver) return;
    if (Date.now() >= this.#expiry.at) {
      this.end(this.#expiry.end);
      return;
    }
    this.isPending = false;
    this.#pendingResult = undefined;
    if (result.hash !== undefined && result.hash === this.seenHash) {
      this.#endIfLeaving();
      return;
    }
    if (!this.#observer.ready()) {
      this.#pendingResult = result;
      return;
    }
    this.seenHash = result.hash;
    this.resume = result.resume;
    this.#results++;
    this.#observer.next(result.body, result.resume);
    this.#endIfLeaving();
  }

  /** The client is ready again: sends the pending result. */
  drained(): void {
    const result = this.#pendingResult;
    if (result !== undefined && !this.#isOver) this.deliver(result);
    if (this.#pendingResult === undefined && this.#endAfterResult) this.end(this.#endAfterResult);
  }

  /** `complete` waits until the pending result is sent; any other end is sent at once. */
  end(why: LiveEnd): void {
    if (this.#isOver) return;
    if (this.#pendingResult !== undefined && why.kind === "complete") {
      this.#endAfterResult = why;
      return;
    }
    this.#finish(outcomeOf(why));
    this.#observer.end(why);
  }

  /** Ends after the first result: see `Subscription.leave`. */
  leave(): void {
    this.#isLeaving = true;
    this.#endIfLeaving();
  }

  stop(why: StopReason = "client"): void {
    this.#finish(why);
  }

  #endIfLeaving(): void {
    const awaitsFirstResult = this.isPending || (this.#pendingResult !== undefined && this.#results === 0);
    if (this.#isLeaving && this.#isLive && (this.isCarriedOver || !awaitsFirstResult)) this.end(shutdown);
  }

  #finish(outcome: SubscriptionOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#outcome = outcome;
    this.#pendingResult = undefined;
    this.#cancelExpiry();
    this.#cancelRecheck();
    this.#detach();
    for (const each of this.#cleanups.splice(0)) each();
    this.#onEnd();
  }
}

function outcomeOf({ kind }: LiveEnd): SubscriptionOutcome {
  if (kind === "complete") return "done";
  return kind === "interrupted" ? "shutdown" : kind;
}
