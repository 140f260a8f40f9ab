// Collects the nodes that this server and others write while a migration builds, and builds them again.

import type { ChangeRecord, Gap, TypeName, Uid } from "../../../core/storage.ts";
import type { CommitStream } from "../database/commit-stream.ts";
import { setAt } from "../write/link-states.ts";
import type { Backfill } from "./backfill.ts";

/** Few enough nodes to build while writers wait. */
const little = 500;
/** The most rounds before writers wait: writers may be faster than the build. */
const mostRounds = 20;

export class ConcurrentWrites {
  readonly #backfill: Backfill;
  readonly #stop: () => void;
  #nodes = new Map<TypeName, Set<Uid>>();
  /** A record was coarse or lost: everything is built again. */
  #all = false;

  constructor(stream: CommitStream, backfill: Backfill) {
    this.#backfill = backfill;
    this.#stop = stream.feed.listen((event) => this.#note(event), undefined);
  }

  #note(event: ChangeRecord | Gap): void {
    if (event.kind !== "detailed") {
      this.#all = true;
      return;
    }
    for (const { uid, type } of event.nodes) setAt(this.#nodes, type).add(uid);
    for (const { edge, from, to } of event.edges) {
      for (const type of this.#backfill.linkedTypes(edge)) setAt(this.#nodes, type).add(from).add(to);
    }
  }

  /** Builds until few nodes are left. Writers go on, so some are always left. */
  async fillMost(): Promise<void> {
    for (let round = 0; round < mostRounds && this.#isMuch; round++) await this.#fillOnce();
  }

  /** Builds until no node is left. Writers wait. */
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
