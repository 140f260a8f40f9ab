// Whether MongoDB had room in its cache while a transaction kept losing. Without room MongoDB ends transactions itself, with the code of a conflict and often
// without a reason.

import type { Connection } from "../connection/connection.ts";

/** Of `serverStatus`: how often MongoDB found no pages that it may remove, as those of open transactions. */
const timesFull = "eviction server unable to reach eviction goal";

export class CachePressure {
  readonly #connection: Connection;
  readonly #before: number | undefined;

  private constructor(connection: Connection, before: number | undefined) {
    this.#connection = connection;
    this.#before = before;
  }

  static async since(connection: Connection): Promise<CachePressure> {
    return new CachePressure(connection, await timesFullOn(connection));
  }

  /** Whether there was no room at some time since. False where the user may not ask for the state of the server. */
  async wasFull(): Promise<boolean> {
    const now = this.#before === undefined ? undefined : await timesFullOn(this.#connection);
    return now !== undefined && this.#before !== undefined && now > this.#before;
  }
}

async function timesFullOn({ client }: Connection): Promise<number | undefined> {
  const others = { locks: 0, metrics: 0, opcounters: 0, repl: 0, tcmalloc: 0 };
  const status = await client
    .db("admin")
    .command({ serverStatus: 1, ...others }, { readPreference: "primary" })
    .catch(() => undefined);
  const count: unknown = status?.wiredTiger?.cache?.[timesFull];
  return typeof count === "number" ? count : undefined;
}
