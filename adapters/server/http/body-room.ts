// Memory for the bodies of requests, over all connections: what is read, and what it unpacks to. Requests wait for room before their bodies are
// read, first in, first out.

import type { BodyLease, BodyRoom, MaybePromise } from "../../../core/transport.ts";

export interface BodyRoomOptions {
  readonly maxBytes: number;
  /** How long a request waits for room, in milliseconds. */
  readonly patienceMs: number;
}

interface Waiting {
  readonly bytes: number;
  readonly begin: (lease: BodyLease | undefined) => void;
}

/** Where the endpoints reserve room for what a body unpacks to. */
export interface RequestBodies extends BodyRoom {
  /** Releases `lease` when `request` is answered: what a body says is in memory as long. */
  keep(request: object, lease: BodyLease): void;
}

export class BoundedBodies implements RequestBodies {
  readonly #options: BodyRoomOptions;
  readonly #waiting = new Set<Waiting>();
  readonly #kept = new Map<object, BodyLease>();
  #bytes = 0;

  constructor(options: BodyRoomOptions) {
    this.#options = options;
  }

  /** Bytes that are reserved. */
  get bytes(): number {
    return this.#bytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  reserve(wanted: number): MaybePromise<BodyLease | undefined> {
    // A body that alone takes all of the room is read when no other is.
    const bytes = Math.min(wanted, this.#options.maxBytes);
    if (this.#waiting.size === 0 && this.#fits(bytes)) return this.#take(bytes);
    return new Promise((resolve) => {
      const begin = (lease: BodyLease | undefined) => {
        clearTimeout(late);
        this.#waiting.delete(waiting);
        resolve(lease);
      };
      const waiting = { bytes, begin };
      const late = setTimeout(() => begin(undefined), this.#options.patienceMs);
      this.#waiting.add(waiting);
    });
  }

  keep(request: object, lease: BodyLease): void {
    this.#kept.set(request, lease);
  }

  /** `request` is answered. */
  answered(request: object): void {
    if (this.#kept.size === 0) return;
    this.#kept.get(request)?.release();
    this.#kept.delete(request);
  }

  #fits(bytes: number): boolean {
    return this.#bytes + bytes <= this.#options.maxBytes;
  }

  #take(bytes: number): BodyLease {
    this.#bytes += bytes;
    let held = bytes;
    const shrink = (to: number) => {
      if (to >= held) return;
      this.#bytes -= held - to;
      held = to;
      this.#admit();
    };
    return { shrink, release: () => shrink(0) };
  }

  #admit(): void {
    for (const next of this.#waiting) {
      if (!this.#fits(next.bytes)) return;
      next.begin(this.#take(next.bytes));
    }
  }
}
