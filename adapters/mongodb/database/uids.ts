// Leases uids in blocks, so that servers sharing a database do not wait for each other.

import { QuernError, type Uid } from "../../../core/storage.ts";
import type { Connection } from "../connection/connection.ts";
import type { Patience } from "../connection/patience.ts";
import { catalogCollection } from "../layout/names.ts";

const uidsAtOnce = 1_000;
const leaseId = "uids";

export class UidLeases {
  readonly #connection: Connection;
  /** Leased and not given yet: from `#next` to before `#end`. */
  #next = 1;
  #end = 1;
  #lockView: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Ascending uids that no server gives again. */
  take(count: number): Promise<readonly Uid[]> {
    const patience = this.#connection.patience();
    const taken = this.#lockView.then(() => this.#take(count, patience));
    this.#lockView = taken.catch(() => undefined);
    return taken;
  }

  async #take(count: number, patience: Patience): Promise<readonly Uid[]> {
    const uids: Uid[] = [];
    while (uids.length < count) {
      if (this.#next === this.#end) {
        await patience.ready();
        await patience.bounded(this.#lease(Math.max(uidsAtOnce, count - uids.length)));
      }
      for (const last = Math.min(this.#end, this.#next + count - uids.length); this.#next < last; this.#next++) uids.push(this.#next);
    }
    return uids;
  }

  async #lease(count: number): Promise<void> {
    const after = await this.#leases().findOneAndUpdate({ _id: leaseId }, { $inc: { next: count } }, { upsert: true, returnDocument: "after" });
    const end = Number(after?.next ?? count) + 1;
    const first = end - count;
    if (end > Number.MAX_SAFE_INTEGER) throw new QuernError("TOO_LARGE", "there are no more ids to give");
    this.#next = first;
    this.#end = end;
  }

  /** Reserves uids that an import chose, so that they are not given again. */
  claim(uids: readonly Uid[]): Promise<void> {
    const highest = uids.reduce((a, b) => Math.max(a, b), 0);
    const claimed = this.#lockView.then(async () => {
      await this.#leases().updateOne({ _id: leaseId }, { $max: { next: highest } }, { upsert: true });
      if (highest >= this.#next) this.#next = this.#end = 1;
    });
    this.#lockView = claimed.catch(() => undefined);
    return claimed;
  }

  /** Gives up what is leased: the database was dropped, and others lease the same uids again. */
  forget(): void {
    this.#next = this.#end = 1;
  }

  /** The least uid that is not leased. */
  async nextUid(): Promise<Uid> {
    return Number((await this.#leases().findOne({ _id: leaseId }))?.next ?? 0) + 1;
  }

  #leases() {
    return this.#connection.collection(catalogCollection);
  }
}
