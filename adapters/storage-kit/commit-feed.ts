// Delivers commits to listeners, in order, and keeps the last ones for listeners that resume.

import type { ChangeRecord, CommitToken, Gap } from "../../core/storage.ts";

/** A commit whose record is made when a listener needs it. */
export interface PublishedCommit {
  readonly token: CommitToken;
  /** The size of the record, in nodes, links and index entries that it names. */
  readonly weight: number;
  record(): ChangeRecord;
}

type Listener = (event: ChangeRecord | Gap) => void;

const keptCommits = 1_000;
const keptWeight = 500_000;

/** The last 1,000 commits or more, and at most 500,000 named things of them. */
export class CommitFeed {
  readonly #listeners = new Set<Listener>();
  #kept: PublishedCommit[] = [];
  #keptWeight = 0;
  /** Commits up to this one are no longer kept. */
  #lostUpTo: CommitToken;
  #isLoading = false;

  constructor(latest: CommitToken) {
    this.#lostUpTo = latest;
  }

  /** Keeps a commit and hands its record to the listeners. */
  publish(commit: PublishedCommit): void {
    if (this.#isLoading) this.#lostUpTo = commit.token;
    else this.#keep(commit);
    if (this.#listeners.size === 0) return;
    const record = commit.record();
    for (const listener of [...this.#listeners]) listener(record);
  }

  #keep(commit: PublishedCommit): void {
    this.#kept.push(commit);
    this.#keptWeight += commit.weight;
    if (this.#kept.length > keptCommits * 2 || this.#keptWeight > keptWeight) this.#forget();
  }

  /** No commit is kept until `endLoad`: those of a load would take some 100 MB, and its garbage collection copies each. Who resumes gets a gap. */
  beginLoad(): void {
    this.#isLoading = true;
    this.#lostUpTo = this.#kept.at(-1)?.token ?? this.#lostUpTo;
    this.#kept = [];
    this.#keptWeight = 0;
  }

  endLoad(): void {
    this.#isLoading = false;
  }

  #forget(): void {
    while (this.#kept.length > keptCommits || (this.#keptWeight > keptWeight && this.#kept.length > 0)) {
      const [oldest] = this.#kept.splice(0, 1);
      if (oldest === undefined) return;
      this.#keptWeight -= oldest.weight;
      this.#lostUpTo = oldest.token;
    }
  }

  /** Forgets all records up to `token`; listeners get a gap. */
  lose(token: CommitToken): void {
    this.#kept = [];
    this.#keptWeight = 0;
    this.#lostUpTo = token;
    for (const listener of [...this.#listeners]) listener({ kind: "gap", token });
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /**
   * Adds a listener for later commits, and calls it at once with the kept commits after `after`, or with a gap when some of these are lost.
   *
   * @returns a function that removes the listener
   */
  listen(listener: Listener, after: CommitToken | undefined): () => void {
    if (after !== undefined) {
      if (after < this.#lostUpTo) listener({ kind: "gap", token: this.#lostUpTo });
      for (const commit of [...this.#kept]) if (commit.token > after) listener(commit.record());
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
