// Open WebSockets and event streams: counts them, and closes all of them gracefully.

export interface LiveClient {
  /** Sends what is pending, then closes. */
  leave(): void;
}

export class LiveClients {
  readonly #most: number;
  readonly #clients = new Set<LiveClient>();

  constructor(most: number) {
    this.#most = most;
  }

  get full(): boolean {
    return this.#clients.size >= this.#most;
  }

  get fullText(): string {
    return `${this.#most} clients are connected already (limits.maxLiveClients). Try again later.`;
  }

  get size(): number {
    return this.#clients.size;
  }

  add(client: LiveClient): void {
    this.#clients.add(client);
  }

  remove(client: LiveClient): void {
    this.#clients.delete(client);
  }

  leave(): void {
    for (const client of [...this.#clients]) client.leave();
  }
}
