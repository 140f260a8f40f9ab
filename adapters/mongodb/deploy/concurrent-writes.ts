// Remembers what is written while a migration builds, by this server and others, and has it built again.

import type { ChangeRecord, Gap, TypeName, Uid } from "../../../core/index.ts";
import type { CommitStream } from "../commit-stream.ts";
import { setAt } from "../write/link-states.ts";
import type { Backfill } from "./backfill.ts";

/** Nodes that are filled in a moment. */
const little = 500;
/** Of writers that are faster than this. */
const mostRounds = 20;

export class ConcurrentWrites {
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

  /** Until little is left for when writers wait. While they do not, there is always more. */
  async fillMost(): Promise<void> {
    for (let round = 0; round < mostRounds && this.#isMuch; round++) await this.#fillOnce();
  }

  /** Until nothing is left that was heard of. */
  async fill(): Promise<void> {
    while (this.#all || this.#nodes.size > 0) await this.#fillOnce();
  }

  get #isMuch(): boolean {
    return this.#all || [...this.#nodes.values()].reduce((count, uids) => count + uids.size, 0) > little;
  }

  async #fillOnce(): Promise<void> {
    const nodes = this.#nodes;
    this.#nodes = new Map();
    if (this.#all) {
      this.#all = false;
      await this.#backfill.fillAll(undefined);
    }
    for (const [type, uids] of nodes) await this.#backfill.fillAgain(type, [...uids]);
  }

  stop(): void {
    this.#stop();
  }
}
