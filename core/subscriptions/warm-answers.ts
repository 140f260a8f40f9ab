// Keeps answers for a moment, for others who may ask for the same.

import type { SharedQuery } from "./shared-query.ts";
import type { Result } from "./subscriber.ts";

/** How long an answer is kept at the least; never longer than twice. */
const warmMs = 1_000;

export class RecentAnswers {
  readonly #groups = new Set<SharedQuery>();
  #cooling: NodeJS.Timeout | undefined;

  /** @param result undefined: what the group has is kept no longer */
  keep(group: SharedQuery, result: Result | undefined): void {
    group.newest = result;
    if (!result) return;
    this.#groups.add(group);
    this.#cooling ??= setInterval(() => this.#cool(), warmMs).unref();
  }

  forget(group: SharedQuery): void {
    this.#groups.delete(group);
  }

  stop(): void {
    clearInterval(this.#cooling);
    this.#cooling = undefined;
  }

  #cool(): void {
    const idle = [...this.#groups].filter((group) => group.state === "idle");
    for (const group of idle) {
      group.newest = undefined;
      this.#groups.delete(group);
    }
    if (this.#groups.size === 0) this.stop();
  }
}
