// Shares the connections of a client between requests. The driver's pool serves commands in the order in which they come: a request that asks
// for hundreds of things at once would keep the one thing that another asks for waiting behind all of them.

/** Waits for its turn, runs one command, and gives the place to the next. */
export type Admit = <Result>(command: () => Promise<Result>) => Promise<Result>;

export class FairReads {
  readonly #most: number;
  #running = 0;
  /** What waits, by its request. Requests take turns: the first of the map is next. */
  readonly #waiting = new Map<object, (() => void)[]>();

  /** @param most commands that run at the same time */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param request what the commands of one request have in common */
  of(request: object): Admit {
    return async (command) => {
      if (this.#running < this.#most) this.#running++;
      else await this.#turn(request);
      try {
        return await command();
      } finally {
        this.#leave();
      }
    };
  }

  #turn(request: object): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(request);
      if (waiting === undefined) this.#waiting.set(request, [resolve]);
      else waiting.push(resolve);
    });
  }

  /** The next one takes the place. */
  #leave(): void {
    for (const [request, waiting] of this.#waiting) {
      const next = waiting.shift();
      this.#waiting.delete(request);
      if (waiting.length > 0) this.#waiting.set(request, waiting);
      next?.();
      return;
    }
    this.#running--;
  }
}
