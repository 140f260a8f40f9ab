// One snapshot for the root fields of an operation, which do not all begin at the same time: they see the same data all the same.

import type { Snapshot } from "../contracts/storage.ts";

export class SharedSnapshot {
  #snapshot: Snapshot | undefined;

  /** @param open called once */
  use(open: () => Snapshot): Snapshot {
    this.#snapshot ??= open();
    return this.#snapshot;
  }

  /** After the last root field. */
  close(): void {
    this.#snapshot?.close();
  }
}
