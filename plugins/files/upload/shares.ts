// What uploads take that are under way: of each caller and of all.

import { QuernError } from "../../../core/plugin.ts";
import type { FilesSettings } from "../ground/options.ts";

type ShareLimits = Pick<FilesSettings, "maxUploadsAtOnce" | "maxUploadsAtOncePerCaller" | "maxWaitingPerCaller" | "maxWaitingBytesPerCaller">;

/** What waits already to be taken. */
export interface Waiting {
  readonly count: number;
  readonly bytes: number;
}

interface Running {
  uploads: number;
  bytes: number;
}

export class UploadShares {
  readonly #limits: ShareLimits;
  readonly #running = new Map<string, Running>();
  #uploads = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Uploads under way. */
  get size(): number {
    return this.#uploads;
  }

  /** @throws `OVERLOADED` or `TOO_MANY_REQUESTS` */
  begin(caller: string): UploadShare {
    const { maxUploadsAtOnce, maxUploadsAtOncePerCaller } = this.#limits;
    const running = this.#running.get(caller) ?? { uploads: 0, bytes: 0 };
    if (this.#uploads >= maxUploadsAtOnce)
      throw new QuernError("OVERLOADED", `${maxUploadsAtOnce} uploads are under way (maxUploadsAtOnce). Try again in a moment.`);
    if (running.uploads >= maxUploadsAtOncePerCaller)
      throw shareTaken(`${maxUploadsAtOncePerCaller} uploads of this caller are under way (maxUploadsAtOncePerCaller)`);
    this.#running.set(caller, running);
    running.uploads++;
    this.#uploads++;
    return new UploadShare(this.#limits, running, () => this.#end(caller, running));
  }

  #end(caller: string, running: Running): void {
    this.#uploads--;
    running.uploads--;
    if (running.uploads === 0) this.#running.delete(caller);
  }
}

/** The share of one upload. */
export class UploadShare {
  readonly #limits: ShareLimits;
  readonly #running: Running;
  readonly #ended: () => void;
  #bytes = 0;
  #waitingBytes = 0;

  constructor(limits: ShareLimits, running: Running, ended: () => void) {
    this.#limits = limits;
    this.#running = running;
    this.#ended = ended;
  }

  /** @throws `TOO_MANY_REQUESTS` when as much waits already as may */
  assertRoom({ count, bytes }: Waiting): void {
    const { maxWaitingPerCaller, maxWaitingBytesPerCaller } = this.#limits;
    if (count >= maxWaitingPerCaller) throw shareTaken(`${count} uploads of this caller wait to be taken by an add or update (maxWaitingPerCaller)`);
    this.#waitingBytes = bytes;
    if (bytes >= maxWaitingBytesPerCaller) throw this.#tooMany();
  }

  /** @throws `TOO_MANY_REQUESTS` when the caller's uploads take too much together */
  took(bytes: number): void {
    this.#bytes += bytes;
    this.#running.bytes += bytes;
    if (this.#waitingBytes + this.#running.bytes > this.#limits.maxWaitingBytesPerCaller) throw this.#tooMany();
  }

  end(): void {
    this.#running.bytes -= this.#bytes;
    this.#ended();
  }

  #tooMany(): QuernError {
    return shareTaken(
      `uploads of this caller that wait to be taken would have more than ${this.#limits.maxWaitingBytesPerCaller} bytes (maxWaitingBytesPerCaller)`,
    );
  }
}

function shareTaken(what: string): QuernError {
  return new QuernError("TOO_MANY_REQUESTS", `Nothing was kept: ${what}.`, { hint: "Use the uploads that wait, or try again when they are over." });
}
