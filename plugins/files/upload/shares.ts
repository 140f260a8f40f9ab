// What uploads take that are under way: of each caller and of all.

import { QuernError } from "../../../core/plugin.ts";
import type { FilesSettings } from "../ground/options.ts";

type ShareLimits = Pick<
  FilesSettings,
  "maxUploadsAtOnce" | "maxUploadsAtOncePerCaller" | "maxWaitingPerCaller" | "maxWaitingBytesPerCaller" | "maxWaiting" | "maxWaitingBytes"
>;

/** What waits already to be taken. */
export interface Waiting {
  readonly count: number;
  readonly bytes: number;
}

/** What waits already, of one caller and of all. */
export interface WaitingOf {
  readonly caller: Waiting;
  readonly all: Waiting;
}

/** What is under way. */
interface Running {
  uploads: number;
  bytes: number;
}

export class UploadShares {
  readonly #limits: ShareLimits;
  readonly #running = new Map<string, Running>();
  readonly #all: Running = { uploads: 0, bytes: 0 };

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Uploads under way. */
  get size(): number {
    return this.#all.uploads;
  }

  /** @throws `OVERLOADED` or `TOO_MANY_REQUESTS` */
  begin(caller: string): UploadShare {
    const { maxUploadsAtOnce, maxUploadsAtOncePerCaller } = this.#limits;
    const running = this.#running.get(caller) ?? { uploads: 0, bytes: 0 };
    if (this.#all.uploads >= maxUploadsAtOnce)
      throw new QuernError("OVERLOADED", `${maxUploadsAtOnce} uploads are under way (maxUploadsAtOnce). Try again in a moment.`);
    if (running.uploads >= maxUploadsAtOncePerCaller)
      throw shareTaken(`${maxUploadsAtOncePerCaller} uploads of this caller are under way (maxUploadsAtOncePerCaller)`);
    this.#running.set(caller, running);
    running.uploads++;
    this.#all.uploads++;
    return new UploadShare(this.#limits, { caller: running, all: this.#all }, () => this.#end(caller, running));
  }

  #end(caller: string, running: Running): void {
    this.#all.uploads--;
    running.uploads--;
    if (running.uploads === 0) this.#running.delete(caller);
  }
}

/** The share of one upload. */
export class UploadShare {
  readonly #limits: ShareLimits;
  readonly #running: { readonly caller: Running; readonly all: Running };
  readonly #ended: () => void;
  #bytes = 0;
  #waiting: WaitingOf = { caller: nothing, all: nothing };

  constructor(limits: ShareLimits, running: { readonly caller: Running; readonly all: Running }, ended: () => void) {
    this.#limits = limits;
    this.#running = running;
    this.#ended = ended;
  }

  /**
   * @param bytes as many are known to come
   * @throws `TOO_MANY_REQUESTS` or `OVERLOADED` when as much waits already as may
   */
  assertRoom(waiting: WaitingOf, bytes = 1): void {
    const { maxWaitingPerCaller, maxWaiting } = this.#limits;
    const { caller, all } = waiting;
    if (caller.count >= maxWaitingPerCaller)
      throw shareTaken(`${caller.count} uploads of this caller wait to be taken by an add or update (maxWaitingPerCaller)`);
    if (all.count >= maxWaiting) throw allTaken(`${all.count} uploads wait to be taken by an add or update (maxWaiting)`);
    this.#waiting = waiting;
    this.#assertBytes(bytes);
  }

  /** @throws `TOO_MANY_REQUESTS` or `OVERLOADED` when the uploads of the caller, or of all, take too much together */
  took(bytes: number): void {
    this.#bytes += bytes;
    this.#running.caller.bytes += bytes;
    this.#running.all.bytes += bytes;
    this.#assertBytes(0);
  }

  end(): void {
    this.#running.caller.bytes -= this.#bytes;
    this.#running.all.bytes -= this.#bytes;
    this.#ended();
  }

  #assertBytes(more: number): void {
    const { maxWaitingBytesPerCaller: ofCaller, maxWaitingBytes: ofAll } = this.#limits;
    if (this.#waiting.caller.bytes + this.#running.caller.bytes + more > ofCaller)
      throw shareTaken(`uploads of this caller that wait to be taken would have more than ${ofCaller} bytes (maxWaitingBytesPerCaller)`);
    if (this.#waiting.all.bytes + this.#running.all.bytes + more > ofAll)
      throw allTaken(`uploads of all callers that wait to be taken would have more than ${ofAll} bytes (maxWaitingBytes)`);
  }
}

const nothing: Waiting = { count: 0, bytes: 0 };

function shareTaken(what: string): QuernError {
  return new QuernError("TOO_MANY_REQUESTS", `Nothing was kept: ${what}.`, { hint: "Use the uploads that wait, or try again when they are over." });
}

function allTaken(what: string): QuernError {
  return new QuernError("OVERLOADED", `Nothing was kept: ${what}.`, { hint: "Try again when some of them are taken, or over." });
}
