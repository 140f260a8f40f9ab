// The right to change the schema, which one server has at a time. It is renewed often, so that a stopped server is noticed in seconds, and checked
// before each step, so that a slow server notices that another took over. It is stored in the document of the catalog, which only its holder
// can change: a transaction over two documents would stay open for a minute when its server stops.

import { setTimeout as pause } from "node:timers/promises";
import { type Collection, type Document, MongoServerError } from "mongodb";
import { QuernError } from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import { catalogId } from "../layout/names.ts";

/** A holder that does not renew for this long has lost the lease. */
const leasedForMs = 3_000;
const renewedEveryMs = 500;
const looksEveryMs = 50;
const waitsForMs = 600_000;

/** Another server took over: the current attempt ends and may be repeated. */
export class LeaseLost extends QuernError {
  constructor(cause?: unknown) {
    super("CONFLICT", `another server went on with changing the schema, as this one was not heard of for ${leasedForMs / 1000} seconds`, {
      hint: "Try again.",
      cause,
    });
  }
}

export class Lease {
  readonly #catalogs: Collection<Doc>;
  /** Unique for each lease, so that an earlier holder is not taken for the current one. */
  readonly #by: string;
  readonly #ended = new AbortController();

  private constructor(catalogs: Collection<Doc>, by: string) {
    this.#catalogs = catalogs;
    this.#by = by;
  }

  /** Waits until the lease is free and takes it. */
  static async take(catalogs: Collection<Doc>, by: string): Promise<Lease> {
    const lease = new Lease(catalogs, by);
    for (const until = performance.now() + waitsForMs; !(await lease.#renew({ take: true })); await pause(looksEveryMs)) {
      if (performance.now() > until)
        throw new QuernError("CONFLICT", "another server is changing the schema", { hint: "Try again when it is done." });
    }
    void lease.#keepUp();
    return lease;
  }

  /** Whether a server holds the lease, or did a moment ago. */
  static async isHeld(catalogs: Collection<Doc>): Promise<boolean> {
    return (await catalogs.countDocuments({ _id: catalogId, $expr: { $gte: ["$lease.until", "$$NOW"] } })) > 0;
  }

  /** Call it right before each step that must not overlap with another holder's steps. */
  async assertHeld(): Promise<void> {
    if (!(await this.#renew({ take: false }))) throw new LeaseLost();
  }

  /** A filter for the document of the catalog that matches while this server holds the lease. */
  get held(): { readonly _id: string; readonly "lease.by": string } {
    return { _id: catalogId, "lease.by": this.#by };
  }

  /** Whether this server may open the gate. */
  async isHeld(): Promise<boolean> {
    return await this.#renew({ take: false });
  }

  async release(): Promise<void> {
    this.#ended.abort();
    await this.#catalogs.updateOne(this.held, { $unset: { lease: "" } });
  }

  async #keepUp(): Promise<void> {
    const { signal } = this.#ended;
    try {
      for (;;) {
        await pause(renewedEveryMs, undefined, { signal, ref: false });
        // The next renewal tries again; each step checks the lease anyway.
        await this.#renew({ take: false }).catch(() => undefined);
      }
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  }

  /** The time of the database's clock. */
  async #renew({ take }: { readonly take: boolean }): Promise<boolean> {
    const until = { $add: ["$$NOW", leasedForMs] };
    if (!take) {
      const { matchedCount } = await this.#catalogs.updateOne(this.held, [{ $set: { "lease.until": until } }]);
      return matchedCount > 0;
    }
    const isFree = { $lt: [{ $ifNull: ["$lease.until", new Date(0)] }, "$$NOW"] };
    const lease: Document = { $cond: [isFree, { by: this.#by, until }, "$lease"] };
    try {
      const found = await this.#catalogs.findOneAndUpdate({ _id: catalogId }, [{ $set: { lease } }], {
        upsert: true,
        returnDocument: "after",
        projection: { lease: 1 },
      });
      return found?.lease?.by === this.#by;
    } catch (thrown) {
      if (thrown instanceof MongoServerError && thrown.code === 11_000) return false;
      throw thrown;
    }
  }
}
