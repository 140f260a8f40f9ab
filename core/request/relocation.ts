// A request that becomes long may go on in another thread.

import { QuernError } from "../ground/errors.ts";

export class Relocation {
  /** Called when the request begins to count as long. True: it goes on elsewhere, and what runs here ends. */
  whenLong: (() => boolean) | undefined;
  #elsewhere: QuernError | undefined;

  /** @throws `CANCELLED` when the request goes on elsewhere */
  assertHere(): void {
    if (this.#elsewhere) throw this.#elsewhere;
  }

  /** Whether the request, which is long now, goes on elsewhere. Asked once. */
  leaves(): boolean {
    const { whenLong } = this;
    this.whenLong = undefined;
    if (!whenLong?.()) return false;
    this.#elsewhere = new QuernError("CANCELLED", "The request goes on in another thread.");
    return true;
  }

  /** The request runs here again. */
  stay(): void {
    this.#elsewhere = undefined;
  }
}
