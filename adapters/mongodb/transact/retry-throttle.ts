// Limits how many retries run concurrently: the more conflicts a transaction lost, the fewer others run beside it. The last lane runs one at a
// time, which conflicts only with first attempts and so succeeds.

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
