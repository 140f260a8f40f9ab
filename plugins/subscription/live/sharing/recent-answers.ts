// Keeps the answers of idle queries for a moment, for new clients of the same query.

import type { Result, SharedQuery } from "./shared-query.ts";

/** An answer is kept at least this long, and less than twice as long. */
const minAgeMs = 1_000;

export class RecentAnswers {
  readonly #queries = new Set<SharedQuery>();
  #timer: NodeJS.Timeout | undefined;

  /** @param result undefined: forgets the answer of `query` */
  keep(query: SharedQuery, result: Result | undefined): void {
    query.recentAnswer = result;
    if (!result) return;
    this.#queries.add(query);
    this.#timer ??= setInterval(() => this.#evict(), minAgeMs).unref();
  }

  forget(query: SharedQuery): void {
    this.#queries.delete(query);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #evict(): void {
    const idle = [...this.#queries].filter((query) => query.state === "idle");
    for (const query of idle) {
      query.recentAnswer = undefined;
      this.#queries.delete(query);
    }
    if (this.#queries.size === 0) this.stop();
  }
}
