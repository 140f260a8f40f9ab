// Tells listeners of commits, in order, and keeps the last ones for those who come back.

import type { ChangeRecord, CommitToken, Gap } from "../../core/index.ts";

/** A commit whose record is made when somebody wants it. */
export interface PublishedCommit {
  readonly token: CommitToken;
  /** What keeping it takes, in things that the record names. */
  readonly weight: number;
  record(): ChangeRecord;
}

type Listener = (event: ChangeRecord | Gap) => void;

const keptCommits = 1_000;
const keptWeight = 500_000;

export class CommitFeed {
  readonly #listeners = new Set<Listener>();
  #kept: PublishedCommit[] = [];
  #keptWeight = 0;
  /** Commits up to this one are no longer kept. */
  #lostUpTo: CommitToken;

  constructor(latest: CommitToken) {
    this.#lostUpTo = latest;
  }

  tell(commit: PublishedCommit): void {
    this.#kept.push(commit);
    this.#keptWeight += commit.weight;
    if (this.#kept.length > keptCommits * 2 || this.#keptWeight > keptWeight) this.#forget();
    if (this.#listeners.size === 0) return;
    const record = commit.record();
    for (const listener of [...this.#listeners]) listener(record);
  }

  #forget(): void {
    while (this.#kept.length > keptCommits || (this.#keptWeight > keptWeight && this.#kept.length > 0)) {
      const [oldest] = this.#kept.splice(0, 1);
      if (oldest === undefined) return;
      this.#keptWeight -= oldest.weight;
      this.#lostUpTo = oldest.token;
    }
  }

  /** Records up to `token` are lost: listeners hear of a gap. */
  lose(token: CommitToken): void {
    this.#kept = [];
    this.#keptWeight = 0;
    this.#lostUpTo = token;
    for (const listener of [...this.#listeners]) listener({ kind: "gap", token });
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  listen(listener: Listener, after: CommitToken | undefined): () => void {
    if (after !== undefined) {
      if (after < this.#lostUpTo) listener({ kind: "gap", token: this.#lostUpTo });
      for (const commit of [...this.#kept]) if (commit.token > after) listener(commit.record());
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
