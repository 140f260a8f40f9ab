// One subscriber: the result that its client has, the result that is pending, and its end.

import type { LiveClient, LiveError, LiveMessage } from "../contracts/plugin/live-engine.ts";
import type { ErrorStyle } from "../ground/error-style.ts";
import { worded } from "../request/errors/worded-errors.ts";
import type { PreparedSubscription } from "../request/operation/live-operation.ts";
import type { SubscriptionOutcome } from "../telemetry/telemetry.ts";
import { callAt } from "./deadline.ts";
import type { Expiry } from "./expiry.ts";
import type { LiveEnd, LiveRequest, StopReason, SubscriptionObserver } from "./live.ts";

const never: Expiry = { at: Number.POSITIVE_INFINITY, end: { kind: "interrupted", by: "shutdown" } };
const nothing = (): void => {};
export const shutdown: LiveEnd = Object.freeze({ kind: "interrupted", by: "shutdown" });

export class Subscriber {
  readonly begunAt = Date.now();
  readonly #observer: SubscriptionObserver;
  readonly #onEnd: () => void;
  readonly #style: ErrorStyle;
  /** Planned again under each schema that is deployed. */
  request: LiveRequest;
  /** Accepted under the schema under which it was planned last. */
  operation: PreparedSubscription | undefined;
  /** The token of the last result that the client has. */
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
  #seat: Seat | undefined;
  #pendingResult: LiveMessage | undefined;
  #endAfterResult: LiveEnd | undefined;
  #results = 0;
  #outcome: SubscriptionOutcome = "client";
  #isOver = false;
  /** Run when it ends. */
  readonly #cleanups: (() => void)[] = [];

  /** @param onEnd called once, when the subscription ends for any reason; `style` is how its errors are worded */
  constructor(observer: SubscriptionObserver, request: LiveRequest, { style, onEnd }: { readonly style: ErrorStyle; readonly onEnd: () => void }) {
    this.#observer = observer;
    this.request = request;
    this.resume = request.resume;
    this.#style = style;
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

  /** Accepts it as a live query. */
  accept(operation: PreparedSubscription): void {
    this.operation = operation;
    this.request = operation.request;
    this.#isLive = true;
  }

  /** The engine runs its query. */
  get isSeated(): boolean {
    return this.#seat !== undefined;
  }

  /** @param join joins the engine. Returns what is called once, when the subscription ends while it has this seat */
  sit(join: (client: LiveClient) => () => void): void {
    const seat = new Seat(this);
    this.#seat = seat;
    seat.leave = join(seat);
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

  /** The engine has forgotten it: drops the pending result, which a new rule may hide. Returns itself. */
  unseat(): this {
    this.#seat?.giveUp();
    this.#seat = undefined;
    this.#pendingResult = undefined;
    this.isCarriedOver ||= !this.isPending;
    this.isPending = true;
    return this;
  }

  /** The client has the newest data. */
  markUpToDate(): void {
    this.isPending = false;
    this.#pendingResult = undefined;
    this.#endIfLeaving();
  }

  /** Sends `result`. Keeps it while the client is not ready, in place of an older one. */
  deliver(result: LiveMessage): void {
    if (this.#isOver) return;
    if (Date.now() >= this.#expiry.at) {
      this.end(this.#expiry.end);
      return;
    }
    this.isPending = false;
    this.#pendingResult = undefined;
    if (!this.#observer.ready()) {
      this.#pendingResult = result;
      return;
    }
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
    this.#observer.end("errors" in why ? { ...why, errors: worded(why.errors, this.#style) } : why);
  }

  /** Ends it with errors. Before any schema has given it a result they refuse it. */
  fail(errors: readonly LiveError[]): void {
    this.end({ kind: this.isPending && !this.isCarriedOver ? "refused" : "failed", errors });
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
    this.#seat?.leave();
    this.#seat?.giveUp();
    this.#seat = undefined;
    for (const each of this.#cleanups.splice(0)) each();
    this.#onEnd();
  }
}

/** Its place in the engine under one schema. What the engine sends to a seat that was given up is dropped. */
class Seat implements LiveClient {
  #subscriber: Subscriber | undefined;
  leave = nothing;

  constructor(subscriber: Subscriber) {
    this.#subscriber = subscriber;
  }

  giveUp(): void {
    this.#subscriber = undefined;
  }

  get resume(): string | undefined {
    return this.#subscriber?.resume;
  }

  get isWaiting(): boolean {
    return this.#subscriber?.isPending ?? false;
  }

  get isCarriedOver(): boolean {
    return this.#subscriber?.isCarriedOver ?? false;
  }

  deliver(message: LiveMessage): void {
    this.#subscriber?.deliver(message);
  }

  upToDate(): void {
    this.#subscriber?.markUpToDate();
  }

  fail(errors: readonly LiveError[]): void {
    this.#subscriber?.fail(errors);
  }
}

function outcomeOf({ kind }: LiveEnd): SubscriptionOutcome {
  if (kind === "complete") return "done";
  return kind === "interrupted" ? "shutdown" : kind;
}
