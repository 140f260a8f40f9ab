// What a transaction that wrote something resolves with.

import type { ChangeRecord, CommitToken, Committed, ReadOptions, Snapshot } from "../../core/storage.ts";
import type { PublishedCommit } from "./commit-feed.ts";

/** A commit whose change record is made when it is read: most callers never read it. */
export class RecordedCommit<T> implements Committed<T> {
  readonly result: T;
  readonly token: CommitToken;
  readonly snapshot?: (options: ReadOptions) => Snapshot;
  readonly #recordOf: (token: CommitToken) => ChangeRecord;

  /**
   * @param recordOf see `cachedRecord`: the commit feed reads the same record
   * @param snapshot see `Committed.snapshot`
   */
  constructor(result: T, token: CommitToken, recordOf: (token: CommitToken) => ChangeRecord, snapshot?: (options: ReadOptions) => Snapshot) {
    this.result = result;
    this.token = token;
    this.#recordOf = recordOf;
    if (snapshot !== undefined) this.snapshot = snapshot;
  }

  get record(): ChangeRecord {
    return this.#recordOf(this.token);
  }
}

/** Calls `make` once. A record that was made before its commit had a token gets the token later. */
export function cachedRecord(make: (token: CommitToken) => ChangeRecord): (token: CommitToken) => ChangeRecord {
  let made: ChangeRecord | undefined;
  return (token) => {
    if (made?.token !== token) made = made === undefined ? make(token) : { ...made, token };
    return made;
  };
}

/** What a commit changed: a `ChangeLog` is such. */
export interface Changes {
  readonly weight: number;
  record(token: CommitToken): ChangeRecord;
}

/** A commit that the feed keeps with its changes alone. A closure would keep its whole transaction: some ten kilobytes of a small one. */
export class DeferredRecord implements PublishedCommit {
  readonly token: CommitToken;
  readonly #changes: Changes;
  #made: ChangeRecord | undefined;

  constructor(token: CommitToken, changes: Changes) {
    this.token = token;
    this.#changes = changes;
  }

  get weight(): number {
    return this.#changes.weight;
  }

  /** Made once. */
  record(): ChangeRecord {
    this.#made ??= this.#changes.record(this.token);
    return this.#made;
  }
}
