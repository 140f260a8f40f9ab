// Open WebSockets and event streams: counts them, and closes all of them gracefully.

export interface LiveClient {
  /** Sends what is pending, then closes. */
  leave(): void;
}

export class LiveClients {
  readonly #most: number;
  readonly #all: { count: number };
  readonly #clients = new Set<LiveClient>();

  /** @param all those of every kernel of the process, of which there are at most so many */
  constructor(most: number, all: { count: number }) {
    this.#most = most;
    this.#all = all;
  }

  get full(): boolean {
    return this.#all.count >= this.#most;
  }

  get fullText(): string {
    return `${this.#most} clients are connected already (limits.maxLiveClients). Try again later.`;
  }

  get size(): number {
    return this.#clients.size;
  }

  add(client: LiveClient): void {
    this.#clients.add(client);
    this.#all.count++;
  }

  remove(client: LiveClient): void {
    if (this.#clients.delete(client)) this.#all.count--;
  }

  leave(): void {
    for (const client of [...this.#clients]) client.leave();
  }
}
