// What waits to be taken, of all callers. It grows with the number of uploads to find out, so it is found out once a second at most while there is room.

import type { KernelAccess } from "../../../core/plugin.ts";
import { allWaiting, type WaitingSum } from "../records/uploads.ts";

const freshMs = 1_000;

export class WaitingTotal {
  readonly #kernel: Pick<KernelAccess, "snapshot">;
  #known: WaitingSum = { count: 0, bytes: 0 };
  #knownAt = Number.NEGATIVE_INFINITY;
  #keptCount = 0;
  #keptBytes = 0;
  #asked: Promise<WaitingSum> | undefined;

  constructor(kernel: Pick<KernelAccess, "snapshot">) {
    this.#kernel = kernel;
  }

  /** As it was within the last second, with all that this server has kept since. */
  async recent(): Promise<WaitingSum> {
    return performance.now() - this.#knownAt < freshMs ? this.#known : await this.now();
  }

  /** As it is. */
  async now(): Promise<WaitingSum> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined;
    });
    return await this.#asked;
  }

  /** An upload has arrived. */
  kept(bytes: number): void {
    this.#keptCount++;
    this.#keptBytes += bytes;
    this.#known = { count: this.#known.count + 1, bytes: this.#known.bytes + bytes };
  }

  async #ask(): Promise<WaitingSum> {
    const [count, bytes] = [this.#keptCount, this.#keptBytes];
    const snapshot = this.#kernel.snapshot();
    try {
      const sum = await allWaiting(snapshot);
      // What has arrived meanwhile may be in the sum or not: rather twice for a second than not at all.
      this.#known = { count: sum.count + this.#keptCount - count, bytes: sum.bytes + this.#keptBytes - bytes };
      this.#knownAt = performance.now();
      return this.#known;
    } finally {
      snapshot.close();
    }
  }
}
