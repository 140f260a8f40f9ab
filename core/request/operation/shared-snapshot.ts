// The snapshot of an operation with several root fields.

import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { SharedSnapshot } from "../../query/operation-context.ts";

/** Opened by the first root field that reads. */
export class LazySnapshot implements SharedSnapshot {
  #snapshot: Snapshot | undefined;

  use(open: () => Snapshot): Snapshot {
    this.#snapshot ??= open();
    return this.#snapshot;
  }

  /** After the last root field. */
  close(): void {
    this.#snapshot?.close();
  }
}
