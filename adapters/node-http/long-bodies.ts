// Takes in long bodies: each into memory that is reserved for the whole of it, and of all together a part in each turn of the event loop.

import type { IncomingMessage } from "node:http";

/** Bytes of one turn: about a millisecond. `node:net` reads up to two megabytes of each connection without a pause. */
const turnBytes = 1024 * 1024;

/** What has arrived of a body. */
export interface Arrived {
  add(chunk: Uint8Array): void;
  whole(): Uint8Array;
}

/** @param announced bytes; undefined: not known. Pieces of an announced body are copied as they come: to join them at its end would take a long time at once */
export function arriving(announced: number | undefined): Arrived {
  return announced === undefined ? new Pieces() : new Announced(announced);
}

class Pieces implements Arrived {
  readonly #pieces: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    this.#pieces.push(chunk);
  }

  whole(): Uint8Array {
    const [only] = this.#pieces;
    return only !== undefined && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
  }
}

class Announced implements Arrived {
  readonly #bytes: Uint8Array;
  #length = 0;

  constructor(announced: number) {
    this.#bytes = Buffer.allocUnsafeSlow(announced);
  }

  add(chunk: Uint8Array): void {
    this.#bytes.set(chunk, this.#length);
    this.#length += chunk.byteLength;
  }

  whole(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Lets other connections have their turn while long bodies arrive faster than they can be taken in. */
export class Intake {
  #bytes = 0;
  readonly #paused: IncomingMessage[] = [];
  #isScheduled = false;

  /** `bytes` of the body of `request` have arrived. */
  took(request: IncomingMessage, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes >= turnBytes) this.#paused.push(request.pause());
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#goOn());
  }

  #goOn(): void {
    this.#isScheduled = false;
    this.#bytes = 0;
    for (const request of this.#paused.splice(0)) request.resume();
  }
}
