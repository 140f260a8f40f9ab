// Transactions that lost a race run again with less company: the more races lost, the narrower the lane. Whoever is alone in the last
// one is only in the way of those who run for the first time, and gets through.

const widths = [Number.POSITIVE_INFINITY, 4, 1];

export class RetryThrottle {
  readonly #throttle = widths.map((width) => new Lane(width));

  async enter<T>(attempt: number, run: () => Promise<T>): Promise<T> {
    const lane = this.#throttle[Math.min(attempt, this.#throttle.length - 1)];
    return lane === undefined ? await run() : await lane.enter(run);
  }
}

class Lane {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  async enter<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
