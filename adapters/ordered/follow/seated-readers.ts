// The threads that read along with this one, as the storage that writes sees them.

import { MessageChannel } from "node:worker_threads";
import type { ReaderAdmission, ReaderSeat } from "../../../core/storage.ts";
import type { CommitPosts } from "../keyspaces/commit-posts.ts";
import type { Seat } from "./seat.ts";

export class SeatedReaders {
  readonly #seated = new Set<ReaderAdmission>();

  admit(posts: CommitPosts, admission: ReaderAdmission): ReaderSeat {
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    posts.join(port1);
    this.#seated.add(admission);
    const seat: Seat = { newest: posts.newest, port: port2, cacheBytes: admission.cacheBytes };
    return {
      data: seat,
      transfer: [port2],
      leave: () => {
        this.#seated.delete(admission);
        posts.leave(port1);
      },
    };
  }

  /** Resolves when all have closed the store. */
  async revokeAll(): Promise<void> {
    await Promise.all([...this.#seated].map((each) => each.revoke()));
    this.#seated.clear();
  }
}
