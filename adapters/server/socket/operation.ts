// One operation on a WebSocket: receives results, sends frames.

import type { LiveEnd, StopReason, Subscription, SubscriptionObserver } from "../../../core/index.ts";
import type { Dialect } from "./dialect.ts";

/** What an operation needs of its connection. */
export interface Carrier {
  /** Whether the client takes more now; if not, `drained` is called later. */
  ready(): boolean;
  send(frame: string): void;
  /** Sends the last frames and forgets the operation. */
  ended(operation: Operation, frames: readonly string[]): void;
}

export class Operation implements SubscriptionObserver {
  readonly id: string;
  readonly #connection: Carrier;
  readonly #dialect: Dialect;
  #subscription: Subscription | undefined;
  #results = 0;
  #leaving = false;
  #over = false;

  constructor(connection: Carrier, dialect: Dialect, id: string) {
    this.#connection = connection;
    this.#dialect = dialect;
    this.id = id;
  }

  get isOver(): boolean {
    return this.#over;
  }

  begin(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.#leaving) subscription.leave();
  }

  ready(): boolean {
    return this.#connection.ready();
  }

  next(body: string): void {
    if (this.#over) return;
    this.#results++;
    this.#connection.send(this.#dialect.next(this.id, body));
  }

  end(why: LiveEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#connection.ended(this, this.#dialect.end(this.id, why));
  }

  /** @returns whether it had a pending result */
  drained(): boolean {
    const before = this.#results;
    this.#subscription?.drained();
    return this.#results > before;
  }

  /** Stops the operation without a frame. */
  stop(why: StopReason): void {
    this.#over = true;
    this.#subscription?.stop(why);
  }

  /** Ends gracefully: after its first result, if it has had none. */
  leave(): void {
    this.#leaving = true;
    if (!this.#over) this.#subscription?.leave();
  }
}
