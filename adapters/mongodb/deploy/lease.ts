// The right to change the schema, which one server has at a time: renewed often, so that a server that died is noticed in seconds, and
// asked for before each step, so that one that was merely slow finds out that another went on.

import { setTimeout as pause } from "node:timers/promises";
import { type ClientSession, type Collection, MongoServerError } from "mongodb";
import { QuernError } from "../../../core/index.ts";
import type { Doc } from "../connection.ts";

const lockId = "lock";
/** Who is not heard of for this long is taken for dead. */
const leasedForMs = 3_000;
const renewedEveryMs = 500;
const looksEveryMs = 50;
const waitsForMs = 600_000;

/** Another server took over: what was begun ends here, and may be begun again. */
export class LeaseLost extends QuernError {
  constructor(cause?: unknown) {
    super("CONFLICT", `another server went on with changing the schema, as this one was not heard of for ${leasedForMs / 1000} seconds`, {
      hint: "Try again.",
      cause,
    });
  }
}

export class Lease {
  readonly #locks: Collection<Doc>;
  /** Given once, so that who had it before cannot be mistaken for who has it now. */
  readonly #by: string;
  readonly #ended = new AbortController();

  private constructor(locks: Collection<Doc>, by: string) {
    this.#locks = locks;
    this.#by = by;
  }

  /** Waits for its turn. */
  static async take(locks: Collection<Doc>, by: string): Promise<Lease> {
    const lease = new Lease(locks, by);
    for (const until = performance.now() + waitsForMs; !(await lease.#renew({ take: true })); await pause(looksEveryMs)) {
      if (performance.now() > until)
        throw new QuernError("CONFLICT", "another server is changing the schema", { hint: "Try again when it is done." });
    }
    void lease.#keepUp();
    return lease;
  }

  /** Whether a server has it, or had it until a moment ago. */
  static async isHeld(locks: Collection<Doc>): Promise<boolean> {
    return (await locks.countDocuments({ _id: lockId, $expr: { $gte: ["$until", "$$NOW"] } })) > 0;
  }

  /** Right before each step that the next holder's steps must not meet. */
  async assertHeld(): Promise<void> {
    if (!(await this.#renew({ take: false }))) throw new LeaseLost();
  }

  /** What `session` writes is committed only if nobody has taken over by then. */
  async assertHeldIn(session: ClientSession): Promise<void> {
    const { matchedCount } = await this.#locks.updateOne({ _id: lockId, by: this.#by }, { $inc: { steps: 1 } }, { session });
    if (matchedCount === 0) throw new LeaseLost();
  }

  /** Whether what was shut is this server's to open. */
  async isHeld(): Promise<boolean> {
    return await this.#renew({ take: false });
  }

  async release(): Promise<void> {
    this.#ended.abort();
    await this.#locks.deleteOne({ _id: lockId, by: this.#by });
  }

  async #keepUp(): Promise<void> {
    const { signal } = this.#ended;
    try {
      for (;;) {
        await pause(renewedEveryMs, undefined, { signal, ref: false });
        // A server that cannot be reached now is asked again; who needs to know asks before the step.
        await this.#renew({ take: false }).catch(() => undefined);
      }
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  }

  /** By the database's clock. */
  async #renew({ take }: { readonly take: boolean }): Promise<boolean> {
    const until = { $add: ["$$NOW", leasedForMs] };
    if (!take) {
      const { matchedCount } = await this.#locks.updateOne({ _id: lockId, by: this.#by }, [{ $set: { until } }]);
      return matchedCount > 0;
    }
    const isFree = { $lt: [{ $ifNull: ["$until", new Date(0)] }, "$$NOW"] };
    const update = [{ $set: { by: { $cond: [isFree, this.#by, "$by"] }, until: { $cond: [isFree, until, "$until"] } } }];
    try {
      const lock = await this.#locks.findOneAndUpdate({ _id: lockId }, update, { upsert: true, returnDocument: "after" });
      return lock?.by === this.#by;
    } catch (thrown) {
      if (thrown instanceof MongoServerError && thrown.code === 11_000) return false;
      throw thrown;
    }
  }
}
