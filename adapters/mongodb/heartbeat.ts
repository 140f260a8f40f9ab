// Keeps an idle server up to date: what time it is in the database, where others find the newest commit, whether the schema is another.

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

/** A server that cannot be reached now is asked again at the next beat, and by whoever reads. */
async function beat(database: Database): Promise<void> {
  try {
    await database.freshTime();
    await database.refresh();
    await database.writeHead();
  } catch {}
}
