// The memory in which uploads gather the parts that they send on: so much for all of them. An upload gets a whole part or none, so that no two wait for each other.

import { QuernError } from "../../../core/plugin.ts";

export interface PartRoomOptions {
  readonly partBytes: number;
  /** Of all parts. */
  readonly maxBytes: number;
  /** How long an upload waits for a part. */
  readonly waitMs: number;
}

/** Memory for one part, used again for the next. */
export type Part = Buffer<ArrayBuffer>;

/** Kept for the next uploads while nothing is sent. */
const idleParts = 2;

export class PartRoom {
  readonly #options: PartRoomOptions;
  readonly #most: number;
  readonly #waiting = new Set<(part: Part) => void>();
  #idle: Part[] = [];
  #taken = 0;

  constructor(options: PartRoomOptions) {
    this.#options = options;
    this.#most = Math.max(1, Math.floor(options.maxBytes / options.partBytes));
  }

  /** @throws `OVERLOADED` */
  async with<T>(work: (part: Part) => Promise<T>): Promise<T> {
    const part = await this.#take();
    try {
      return await work(part);
    } finally {
      this.#give(part);
    }
  }

  async #take(): Promise<Part> {
    if (this.#taken >= this.#most) return await this.#wait();
    this.#taken++;
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(this.#options.partBytes);
  }

  async #wait(): Promise<Part> {
    return await new Promise<Part>((resolve, reject) => {
      const granted = (part: Part) => {
        clearTimeout(timer);
        resolve(part);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(granted);
        reject(this.#full());
      }, this.#options.waitMs);
      this.#waiting.add(granted);
    });
  }

  #give(part: Part): void {
    const [next] = this.#waiting;
    if (next !== undefined) {
      this.#waiting.delete(next);
      next(part);
      return;
    }
    this.#taken--;
    if (this.#idle.length < idleParts) this.#idle.push(part);
  }

  #full(): QuernError {
    return new QuernError(
      "OVERLOADED",
      `Other uploads fill the memory for what is sent to S3, ${this.#options.maxBytes} bytes (maxHeldBytes of s3Files).`,
      {
        hint: "Try again in a moment.",
      },
    );
  }
}
