// Long bodies of one caller are read one after the other: a thousand that are read side by side would share the turns of the event loop among them, and
// each would wait for all.

import { nextTurn, QuernError } from "../../../core/index.ts";
import type { HttpRequest } from "../../../core/transport.ts";

/** Longer ones wait for one another, and nobody else for them. */
const hugeBytes = 1024 * 1024;

export class BodyOrder {
  readonly #nameOf: (request: HttpRequest) => string;
  /** By caller and size: the last body that is read or waits. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(nameOf: (request: HttpRequest) => string) {
    this.#nameOf = nameOf;
  }

  /**
   * Calls `read` in a turn of its own, when those of the caller's bodies are read that came before.
   *
   * @throws QuernError `CANCELLED`: the client has gone meanwhile
   */
  async inOrder<T>(request: HttpRequest, bytes: number, read: () => Promise<T>): Promise<T> {
    const lane = `${this.#nameOf(request)}${bytes > hugeBytes ? " huge" : ""}`;
    const before = this.#last.get(lane);
    const mine = this.#after(before, request, read);
    const settled = mine.catch(() => undefined);
    this.#last.set(lane, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(lane) === settled) this.#last.delete(lane);
    }
  }

  async #after<T>(before: Promise<unknown> | undefined, request: HttpRequest, read: () => Promise<T>): Promise<T> {
    let isGone = false;
    request.onGone?.(() => (isGone = true));
    await before;
    await nextTurn();
    if (isGone) throw new QuernError("CANCELLED", "The client has gone.");
    return await read();
  }
}
