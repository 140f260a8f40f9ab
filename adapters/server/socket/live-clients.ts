// Everyone who stays connected, WebSockets and event streams alike: how many they are, and how all of them are sent away.

export interface LiveClient {
  /** Says what is left to say, then ends. */
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
