// Begins the operations of one connection a few at a time, so that a burst of them neither stops other clients nor fills the memory with results.

import { nextTurn, type Subscription } from "../../../core/index.ts";

/** What an operation needs of the queue. */
export interface Startable {
  /** It was stopped before it began. */
  readonly isOver: boolean;
  begin(subscription: Subscription): void;
}

export interface StartQueueOptions {
  /** Operations that are being planned, and queries and mutations that run, at the same time. */
  readonly maxStarting: number;
  /** Whether the client has taken enough of what was sent for another operation to begin. If not, `resume` is called later. */
  readonly isReady: () => boolean;
  /** Called when much waits. */
  readonly pause: () => void;
  /** Called when little waits again. */
  readonly resume: () => void;
}

interface Waiting {
  readonly operation: Startable;
  readonly start: () => Subscription;
  readonly length: number;
}

/** Characters of messages that may wait before no more are read. */
const fullLength = 2 ** 20;

export class StartQueue {
  readonly #options: StartQueueOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #length = 0;
  #starting = 0;
  #isFull = false;

  constructor(options: StartQueueOptions) {
    this.#options = options;
  }

  /** @param length characters of the message that asked for it */
  add(operation: Startable, length: number, start: () => Subscription): void {
    const waiting = { operation, start, length };
    if (this.#waiting.size === 0 && this.#hasRoom) {
      this.#begin(waiting);
      return;
    }
    this.#waiting.add(waiting);
    this.#grow(length);
  }

  /** The client has taken what was sent. */
  resume(): void {
    while (this.#hasRoom && this.#waiting.size > 0) this.#beginNext();
  }

  get #hasRoom(): boolean {
    return this.#starting < this.#options.maxStarting && this.#options.isReady();
  }

  /** The first that was not stopped. */
  #beginNext(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      this.#grow(-next.length);
      if (next.operation.isOver) continue;
      this.#begin(next);
      return;
    }
  }

  #begin({ operation, start }: Waiting): void {
    this.#starting++;
    const subscription = start();
    operation.begin(subscription);
    void this.#ended(subscription);
  }

  /** Another one begins in a turn of its own. */
  async #ended({ planned }: Subscription): Promise<void> {
    await planned;
    if (this.#waiting.size > 0) await nextTurn();
    this.#starting--;
    if (this.#hasRoom) this.#beginNext();
  }

  #grow(length: number): void {
    this.#length += length;
    const isFull = this.#isFull ? this.#length > fullLength / 2 : this.#length > fullLength;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#options.pause();
    else this.#options.resume();
  }
}
