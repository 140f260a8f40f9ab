// Keeps an idle server up to date: reads the time of the database, stores the latest commit for other servers, reads the catalog.

import type { Database } from "./database.ts";

const everyMs = 10_000;

export class Heartbeat {
  readonly #timer: NodeJS.Timeout;

  constructor(database: Database) {
    this.#timer = setInterval(() => void beat(database), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** A failure is ignored: the next beat and every read try again. */
async function beat(database: Database): Promise<void> {
  try {
    await database.freshTime();
    await database.refresh();
    await database.writeHead();
  } catch {}
}
