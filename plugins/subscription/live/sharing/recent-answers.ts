// Keeps the answers of idle queries for a moment, for new clients of the same query.

import type { Result, SharedQuery } from "./shared-query.ts";

/** An answer is kept at least this long, and less than twice as long. */
const minAgeMs = 1_000;

export class RecentAnswers {
  /** With an answer since the last tick. */
  #young = new Set<SharedQuery>();
  /** With an answer since the tick before. */
  #old = new Set<SharedQuery>();
  #timer: NodeJS.Timeout | undefined;

  /** @param result undefined: forgets the answer of `query` */
  keep(query: SharedQuery, result: Result | undefined): void {
    query.recentAnswer = result;
    if (!result) {
      this.forget(query);
      return;
    }
    this.#old.delete(query);
    this.#young.add(query);
    this.#timer ??= setInterval(() => this.#evict(), minAgeMs).unref();
  }

  forget(query: SharedQuery): void {
    this.#young.delete(query);
    this.#old.delete(query);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #evict(): void {
    const due = this.#old;
    this.#old = this.#young;
    this.#young = new Set();
    for (const query of due) this.#evictIdle(query);
    if (this.#old.size + this.#young.size === 0) this.stop();
  }

  /** The answer of a query that runs is replaced by its run. */
  #evictIdle(query: SharedQuery): void {
    if (query.state === "idle") query.recentAnswer = undefined;
    else this.#young.add(query);
  }
}
