// Ends transactions whose server died in the middle: MongoDB holds what they wrote for a minute, in which all writers of the same nodes lose. A writer
// that keeps losing looks for transactions of Quern that run no command, and ends those that made no progress for ten seconds. If their server lives
// after all, it runs them again.

import type { Document } from "mongodb";
import type { Connection } from "../connection/connection.ts";

/** Far longer than a server pauses between two commands of a transaction. */
const abandonedAfterMs = 10_000;
const betweenLooksMs = 2_000;

interface Idle {
  /** How long the server worked for the transaction until now: equal as long as it gets no command. */
  readonly activeMicros: unknown;
  readonly since: number;
}

export class AbandonedTransactions {
  readonly #connection: Connection;
  readonly #idle = new Map<string, Idle>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Looks once in two seconds, however often it is called; never fails. */
  async end(): Promise<void> {
    if (this.#looking === undefined && performance.now() < this.#lookedAt + betweenLooksMs) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookedAt = performance.now();
    });
    await this.#looking;
  }

  /** A login may lack the right to see sessions, and a router shows none: then the minute passes. */
  async #look(): Promise<void> {
    try {
      const sessions = await this.#idleSessions();
      const abandoned = this.#abandonedOf(sessions);
      if (abandoned.length > 0) await this.#connection.client.db("admin").command({ killSessions: abandoned.map(({ lsid }) => ({ id: lsid.id })) });
    } catch {}
  }

  /** Those of this login with an open transaction that runs no command. */
  async #idleSessions(): Promise<readonly Document[]> {
    const { client } = this.#connection;
    const ours = { type: "idleSession", appName: client.options.appName, transaction: { $exists: true } };
    return await client
      .db("admin")
      .aggregate([{ $currentOp: { idleSessions: true, allUsers: false } }, { $match: ours }, { $project: { lsid: 1, transaction: 1 } }])
      .toArray();
  }

  #abandonedOf(sessions: readonly Document[]): readonly Document[] {
    const now = performance.now();
    const before = new Map(this.#idle);
    this.#idle.clear();
    return sessions.filter(({ lsid, transaction }) => {
      const name = `${lsid.id} ${transaction.parameters.txnNumber}`;
      const activeMicros = transaction.timeActiveMicros;
      const known = before.get(name);
      const since = known !== undefined && known.activeMicros === activeMicros ? known.since : now;
      this.#idle.set(name, { activeMicros, since });
      return now >= since + abandonedAfterMs;
    });
  }
}
