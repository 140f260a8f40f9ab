// Writes the posting lists of a structure that nothing has written yet: each list once and whole, without a read, past the cache.

import type { Uid } from "../../../core/storage.ts";
import type { StoreOperation } from "../ground/store.ts";
import { seal } from "../keyspaces/checksum.ts";
import type { Keyspace } from "../keyspaces/keyspace.ts";
import { longHead, shortHead } from "../structures/posting-head.ts";
import { chunkSize, type PostingLists } from "../structures/posting-lists.ts";

/** Sees the uids of each list, in parts. */
export type ListVisitor = (key: Uid, uids: readonly Uid[]) => void;

export class NewLists {
  readonly #lists: PostingLists<number>;
  readonly #visit: ListVisitor | undefined;
  #operations: StoreOperation[] = [];
  #key: Uid = -1;
  /** The part of the list that is in no chunk yet. */
  #uids: Uid[] = [];
  /** Lower bounds of the chunks. */
  #bounds: Uid[] = [];
  #inChunks = 0;

  constructor(lists: PostingLists<number>, visit?: ListVisitor) {
    this.#lists = lists;
    this.#visit = visit;
  }

  /** Pairs ascend by list and uid; a pair that equals the last one is left out. */
  add(key: Uid, uid: Uid): void {
    if (key !== this.#key) {
      this.end();
      this.#key = key;
    } else if (this.#uids[this.#uids.length - 1] === uid) return;
    if (this.#uids.length === chunkSize) this.#putChunk();
    this.#uids.push(uid);
  }

  /** The last list is complete. */
  end(): void {
    if (this.#uids.length === 0) return;
    const [key, uids] = [this.#key, this.#uids];
    const { heads, directories } = this.#lists;
    if (this.#bounds.length === 0) {
      this.#visit?.(key, uids);
      this.#put(heads, key, shortHead(uids));
    } else {
      this.#putChunk();
      this.#put(heads, key, longHead({ count: this.#inChunks, tail: [], edited: false }));
      this.#put(directories, key, this.#bounds);
    }
    this.#uids = [];
    this.#bounds = [];
    this.#inChunks = 0;
  }

  #putChunk(): void {
    const uids = this.#uids;
    this.#visit?.(this.#key, uids);
    const bound = this.#bounds.length === 0 ? 0 : (uids[0] ?? 0);
    this.#bounds.push(bound);
    this.#put(this.#lists.chunks, this.#lists.chunkKey(this.#key, bound), uids);
    this.#inChunks += uids.length;
    this.#uids = [];
  }

  #put<K extends string | number, V>(keyspace: Keyspace<K, V>, key: K, value: V): void {
    const name = keyspace.keyOf(key);
    this.#operations.push({ type: "put", key: name, value: seal(name, keyspace.codec.encode(value)) });
  }

  get waiting(): number {
    return this.#operations.length;
  }

  /** What is to be written so far. */
  take(): readonly StoreOperation[] {
    const operations = this.#operations;
    this.#operations = [];
    return operations;
  }
}
