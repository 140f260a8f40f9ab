// Whether the database has a server that takes writes, as the driver sees it, and when that server has answered last.

import type { Document, MongoClient, ServerDescription } from "mongodb";
import { isRouter } from "./server-hellos.ts";

/** Types of servers that take writes, as the driver names them. */
const takesWrites = new Set(["RSPrimary", "Mongos", "LoadBalancer"]);

export class PrimaryWatch {
  readonly #client: MongoClient;
  readonly #waiting = new Set<() => void>();
  #isThere = false;
  #isClosed = false;
  #isLooking = false;
  #seen = Number.NEGATIVE_INFINITY;

  /** @param client not connected yet */
  constructor(client: MongoClient) {
    this.#client = client;
    client.on("topologyDescriptionChanged", ({ newDescription }) => this.#note(newDescription.servers));
    client.on("serverHeartbeatSucceeded", ({ reply }) => this.#heard(reply));
    client.on("topologyClosed", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  get isThere(): boolean {
    return this.#isThere;
  }

  /** The client is closed: what waits goes on, and hears it of the driver. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The time of its last answer, as `performance.now()` counts. */
  get seen(): number {
    return this.#seen;
  }

  #heard(hello: Document): void {
    if (hello.isWritablePrimary === true || isRouter(hello)) this.#seen = performance.now();
  }

  #note(servers: ReadonlyMap<string, ServerDescription>): void {
    this.#isThere = [...servers.values()].some(({ type }) => takesWrites.has(type));
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits for it. @returns whether it is there, or the client is closed. @param until as `performance.now()` counts */
  async comes(until: number): Promise<boolean> {
    const holds = () => this.#isThere || this.#isClosed;
    if (holds()) return true;
    this.#look();
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), Math.max(0, until - performance.now()));
    await this.#when(holds, timer.signal);
    clearTimeout(timeout);
    return holds();
  }

  /** The driver looks for servers at once, and again and again, only while an operation waits for one. */
  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const ping = this.#client.db("admin").command({ ping: 1 });
    void ping
      .catch(() => undefined)
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** Waits for `work`, but not without a server that takes writes. */
  async whileThere(work: Promise<unknown>): Promise<void> {
    const ended = new AbortController();
    void work.catch(() => undefined).finally(() => ended.abort());
    await this.goes(ended.signal);
  }

  /** Waits until it is not there, or there is nothing to wait for any more. */
  async goes(over: AbortSignal): Promise<void> {
    await this.#when(() => !this.#isThere, over);
  }

  /** Resolves when that holds, or there is nothing to wait for any more. */
  async #when(holds: () => boolean, over: AbortSignal): Promise<void> {
    if (holds() || over.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#waiting.delete(wake);
        resolve();
      };
      const wake = () => {
        if (holds()) end();
      };
      this.#waiting.add(wake);
      over.addEventListener("abort", end, { once: true });
    });
  }
}
