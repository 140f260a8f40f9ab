// One subscriber: what it has seen, what waits for it, and its end.

import { callAt } from "./deadline.ts";
import type { LiveEnd, StopReason, Subscriber } from "./live.ts";

/** An answer, written once for all who get it. */
export interface Result {
  readonly body: string;
  readonly resume: string | undefined;
  /** Of the data; undefined for answers that are never compared. */
  readonly hash: string | undefined;
}

/** Why a subscription is over, in a word. */
export type Ended = StopReason | "done" | "expired" | "redeployed" | "refused";

const expired: LiveEnd = Object.freeze({ kind: "complete", why: "expired" });

export class Member {
  readonly #subscriber: Subscriber;
  readonly #onEnd: () => void;
  /** Of the data that the client has. */
  seen: string | undefined;
  /** Nothing was decided yet: no result, no resumption. */
  isNew = true;
  /** From when on it gets nothing, in milliseconds since 1970. */
  #expiresAt = Number.POSITIVE_INFINITY;
  #waiting: Result | undefined;
  #endAfterwards: LiveEnd | undefined;
  #results = 0;
  #ended: Ended = "client";
  #over = false;
  /** What has to be called off when it ends. */
  readonly #cleanups: (() => void)[] = [];

  /** @param onEnd called once, when the subscription is over for whatever reason */
  constructor(subscriber: Subscriber, onEnd: () => void) {
    this.#subscriber = subscriber;
    this.#onEnd = onEnd;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Results it was sent. */
  get results(): number {
    return this.#results;
  }

  /** Why it is over, once it is. */
  get ended(): Ended {
    return this.#ended;
  }

  atEnd(cleanup: () => void): void {
    if (this.#over) cleanup();
    else this.#cleanups.push(cleanup);
  }

  /** Ends it at that time, and sends nothing from then on however late the timer. */
  expireAt(at: number): void {
    this.#expiresAt = at;
    this.atEnd(callAt(at, () => this.end(expired)));
  }

  /** Sends `result`, or keeps it in the place of whatever waits already. */
  tell(result: Result): void {
    if (this.#over) return;
    if (Date.now() >= this.#expiresAt) {
      this.end(expired);
      return;
    }
    this.isNew = false;
    this.#waiting = undefined;
    if (result.hash !== undefined && result.hash === this.seen) return;
    if (!this.#subscriber.ready()) {
      this.#waiting = result;
      return;
    }
    this.seen = result.hash;
    this.#results++;
    this.#subscriber.next(result.body, result.resume);
  }

  drained(): void {
    const result = this.#waiting;
    if (result !== undefined && !this.#over) this.tell(result);
    if (this.#waiting === undefined && this.#endAfterwards) this.end(this.#endAfterwards);
  }

  /** An operation that is done has its result delivered first; any other end is told at once. */
  end(why: LiveEnd): void {
    if (this.#over) return;
    if (this.#waiting !== undefined && why.kind === "complete" && why.why === "done") {
      this.#endAfterwards = why;
      return;
    }
    this.#finish(why.kind === "complete" ? why.why : why.kind);
    this.#subscriber.end(why);
  }

  stop(why: StopReason = "client"): void {
    this.#finish(why);
  }

  #finish(ended: Ended): void {
    if (this.#over) return;
    this.#over = true;
    this.#ended = ended;
    this.#waiting = undefined;
    for (const each of this.#cleanups.splice(0)) each();
    this.#onEnd();
  }
}
