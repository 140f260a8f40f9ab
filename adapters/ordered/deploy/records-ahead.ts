// Reads the records of a type's nodes into the cache before the writer's turn needs them, while it works on earlier ones: in that turn, each would be read
// on the event loop.

import type { Uid } from "../../../core/storage.ts";
import type { Database } from "../database/database.ts";
import type { PostingList } from "../structures/posting-list.ts";
import { lowerBound } from "../structures/sorted-uids.ts";

/** Nodes that are read at once, and bytes of their records on the disk: two such parts must stay in the cache. */
const nodesAtOnce = 1_024;
const maxBytes = 2 << 20;
/** Decoded, a record takes several times its bytes, and a generation of the cache is half of it. */
const cacheShare = 64;
/** Where at least so many of the uids are of the type, walking over all takes less than a search for each. */
const leastShare = 0.3;

interface Part {
  /** The last uid whose record is in the cache, when there was room. */
  readonly last: Uid;
}

export class RecordsAhead {
  readonly #database: Database;
  readonly #typeId: number;
  /** Records up to this one are read. */
  #last: Uid;
  #next: Promise<Part | undefined>;

  constructor(database: Database, typeId: number, after: Uid) {
    this.#database = database;
    this.#typeId = typeId;
    this.#last = after;
    this.#next = this.#read(after);
  }

  /** Resolves when the records behind `after` are read. Undefined: they are. */
  readyFor(after: Uid): Promise<void> | undefined {
    return after < this.#last ? undefined : this.#advance(after);
  }

  async #advance(after: Uid): Promise<void> {
    const part = await this.#next;
    this.#last = part?.last ?? Number.POSITIVE_INFINITY;
    if (part !== undefined) this.#next = this.#read(Math.max(after, part.last));
  }

  /** A record that cannot be read fails where it is needed. */
  async #read(after: Uid): Promise<Part | undefined> {
    const uids = this.#uidsBehind(after);
    const [first, last] = [uids[0], uids.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const { schema, writerView, engine } = this.#database;
    const { keyspace } = schema.nodes.records;
    const bytes = Math.min(maxBytes, engine.cache.maxBytes / cacheShare);
    try {
      if (uids.length < leastShare * (last - first + 1)) await keyspace.prefetch(uids, writerView);
      else return { last: (await keyspace.prefetchNear(uids, writerView, bytes)) ?? last };
    } catch {
      return { last };
    }
    return { last };
  }

  #uidsBehind(after: Uid): readonly Uid[] {
    const { schema, writerView } = this.#database;
    const list = schema.nodes.byType.open(this.#typeId, writerView);
    const uids: Uid[] = [];
    for (let last = after; uids.length < nodesAtOnce; ) {
      const some = nextUids(list, last, nodesAtOnce - uids.length);
      if (some.length === 0) break;
      uids.push(...some);
      last = some.at(-1) ?? last;
    }
    return uids;
  }

  async end(): Promise<void> {
    await this.#next;
  }
}

/** The next uids of a list that may have changed since the last ones, at most as many. */
export function nextUids(list: PostingList, after: Uid, atMost: number): readonly Uid[] {
  for (let i = list.chunkFor(after + 1); i < list.chunkCount; i++) {
    const chunk = list.chunk(i);
    const start = lowerBound(chunk, after + 1);
    if (start < chunk.length) return chunk.slice(start, start + atMost);
  }
  return [];
}
