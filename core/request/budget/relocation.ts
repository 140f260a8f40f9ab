// A request that becomes long may go on in another thread.

import { QuernError } from "../../ground/errors.ts";

export class Relocation {
  #whenLong: (() => boolean) | undefined;
  #elsewhere: QuernError | undefined;

  /** @param whenLong true: the request goes on elsewhere, and what runs here ends */
  constructor(whenLong: () => boolean) {
    this.#whenLong = whenLong;
  }

  /** @throws `CANCELLED` when the request goes on elsewhere */
  assertHere(): void {
    if (this.#elsewhere) throw this.#elsewhere;
  }

  /** Whether the request, which is long now, goes on elsewhere. Asked once. */
  leaves(): boolean {
    const whenLong = this.#whenLong;
    this.#whenLong = undefined;
    if (!whenLong?.()) return false;
    this.#elsewhere = new QuernError("CANCELLED", "The request goes on in another thread.");
    return true;
  }

  /** The request runs here again. */
  stay(): void {
    this.#elsewhere = undefined;
  }
}
