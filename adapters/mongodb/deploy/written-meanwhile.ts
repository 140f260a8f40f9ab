// Remembers what is written while a migration builds, by this server and others, and has it built again.

import type { ChangeRecord, Gap, TypeName, Uid } from "../../../core/index.ts";
import type { CommitStream } from "../commit-stream.ts";
import { setAt } from "../write/link-states.ts";
import type { Backfill } from "./backfill.ts";

export class WrittenMeanwhile {
  readonly #backfill: Backfill;
  readonly #stop: () => void;
  #nodes = new Map<TypeName, Set<Uid>>();
  /** Records are coarse, or lost: all is done again. */
  #all = false;

  constructor(stream: CommitStream, backfill: Backfill) {
    this.#backfill = backfill;
    this.#stop = stream.feed.listen((event) => this.#note(event), undefined);
  }

  #note(event: ChangeRecord | Gap): void {
    if (event.kind !== "detailed") this.#all = true;
    else for (const { uid, type } of event.nodes) setAt(this.#nodes, type).add(uid);
  }

  /** Until nothing is left that was heard of. */
  async fill(): Promise<void> {
    while (this.#all || this.#nodes.size > 0) {
      const nodes = this.#nodes;
      this.#nodes = new Map();
      if (this.#all) {
        this.#all = false;
        await this.#backfill.fillAll(undefined);
      }
      for (const [type, uids] of nodes) await this.#backfill.fillAgain(type, [...uids]);
    }
  }

  stop(): void {
    this.#stop();
  }
}
