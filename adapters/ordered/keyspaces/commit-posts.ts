// Messages of the thread that writes to the threads that read along. Before each batch: the keys that it changes. After it, in shared memory: that it is durable.

import type { MessagePort } from "node:worker_threads";
import type { EntryKey, Layers } from "./keyspace.ts";

/** What one batch changes. Posted before the batch is written, so that a thread that sees the batch in the store finds the post at its port. */
export interface CommitPost {
  /** The batch holds the commits up to this one. */
  readonly at: number;
  /** The keys by the prefix of their keyspace; undefined: so many that everything counts as changed. */
  readonly changed: readonly (readonly [prefix: string, keys: readonly EntryKey[]])[] | undefined;
}

/** The newest durable commit, in memory that threads share. One element. */
export type NewestCommit = BigInt64Array<SharedArrayBuffer>;

/** With more keys than these, dropping a whole cache costs less than naming them to each thread. */
const maxNamedKeys = 5_000;

export class CommitPosts {
  readonly newest: NewestCommit = new BigInt64Array(new SharedArrayBuffer(8));
  readonly #ports = new Set<MessagePort>();

  join(port: MessagePort): void {
    this.#ports.add(port);
  }

  leave(port: MessagePort): void {
    this.#ports.delete(port);
    port.close();
  }

  post(at: number, keyspaces: Iterable<Layers>): void {
    if (this.#ports.size === 0) return;
    const changed = [...keyspaces].map((keyspace) => [keyspace.prefix, keyspace.flushedKeys()] as const);
    const isLarge = changed.reduce((sum, [, keys]) => sum + keys.length, 0) > maxNamedKeys;
    const post: CommitPost = { at, changed: isLarge ? undefined : changed };
    for (const port of this.#ports) port.postMessage(post);
  }

  /** Called before any client is answered that the commit is durable. */
  published(at: number): void {
    Atomics.store(this.newest, 0, BigInt(at));
    Atomics.notify(this.newest, 0);
  }
}
