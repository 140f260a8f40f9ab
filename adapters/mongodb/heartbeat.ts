// Keeps an idle server up to date: reads the time of the database, stores the latest commit for other servers, reads the catalog. Knows whether the
// database answers.

import { QuernError, type StoreTrouble } from "../../core/storage.ts";
import { storeError } from "./connection/store-error.ts";
import type { Database } from "./database/database.ts";

const everyMs = 10_000;
/** While the database does not answer: probes should hear soon that it does. */
const soonMs = 1_000;

export class Heartbeat {
  readonly #database: Database;
  readonly #troubled: (trouble: StoreTrouble | undefined) => void;
  #timer: NodeJS.Timeout | undefined;
  #trouble: StoreTrouble | undefined;
  #isStopped = false;

  /** @param troubled called when the database answers no more, and without an argument when it does again */
  constructor(database: Database, troubled: (trouble: StoreTrouble | undefined) => void) {
    this.#database = database;
    this.#troubled = troubled;
    this.#wait();
  }

  /** Why the database did not answer the last beat. */
  get trouble(): StoreTrouble | undefined {
    return this.#trouble;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#timer = setTimeout(() => void this.#beat(), this.#trouble === undefined ? everyMs : soonMs).unref();
  }

  /** After a failure the next beat and every read try again. */
  async #beat(): Promise<void> {
    const failure = await beat(this.#database);
    if (this.#isStopped) return;
    const before = this.#trouble;
    this.#trouble = failure === undefined ? undefined : { kind: "unreachable", reason: reasonOf(failure), since: before?.since ?? performance.now() };
    if (before?.reason !== this.#trouble?.reason) this.#troubled(this.#trouble);
    this.#wait();
  }
}

/** @returns what has failed */
async function beat(database: Database): Promise<unknown> {
  try {
    await database.freshTime();
    await database.refresh();
    await database.writeHead();
    return undefined;
  } catch (thrown) {
    return storeError(thrown);
  }
}

/** Without a place, as clients get it. */
function reasonOf(failure: unknown): string {
  return failure instanceof QuernError ? failure.message : "a request to it failed";
}
