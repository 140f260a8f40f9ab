// The nodes of a lasting condition as they are cached: the chunks of a stream that takes work to read, each kept when it has been read once.

import type { Uid } from "../../../core/storage.ts";
import { noUids, PostingList } from "../structures/posting-list.ts";
import type { Stream } from "./stream.ts";

/** All nodes of a condition. */
export interface KeptList {
  readonly count: number;
  /** Lower bounds of the chunks. */
  readonly bounds: readonly number[];
  readonly chunks: ReadonlyMap<number, readonly Uid[]>;
}

export function listOfOne(uids: readonly Uid[]): KeptList {
  return { count: uids.length, bounds: [0], chunks: new Map([[0, uids]]) };
}

/** For one reader: its position in the list is its own. */
export function streamOfKept({ count, bounds, chunks }: KeptList): Stream {
  return new PostingList(count, bounds, (bound) => chunks.get(bound) ?? noUids);
}

/** The chunks that readers of one commit have read so far, of a stream that has the same chunks for all of them. */
export class KeptChunks {
  readonly #chunks: (readonly Uid[] | undefined)[] = [];
  readonly #keep: (uids: readonly Uid[]) => void;
  readonly #whole: (list: KeptList) => void;
  #read = 0;

  constructor(options: { readonly keep: (uids: readonly Uid[]) => void; readonly whole: (list: KeptList) => void }) {
    this.#keep = options.keep;
    this.#whole = options.whole;
  }

  /** `stream`, whose chunks are read once for all readers. */
  of(stream: Stream): Stream {
    return new KeptStream(stream, this);
  }

  chunk(i: number, stream: Stream): readonly Uid[] {
    const known = this.#chunks[i];
    if (known !== undefined) return known;
    const uids = stream.chunk(i);
    this.#chunks[i] = uids;
    this.#keep(uids);
    if (++this.#read === stream.chunkCount) this.#whole(this.#list(stream));
    return uids;
  }

  #list(stream: Stream): KeptList {
    const chunks = new Map<number, readonly Uid[]>();
    let count = 0;
    for (const [i, uids = noUids] of this.#chunks.entries()) {
      chunks.set(stream.boundOf(i), uids);
      count += uids.length;
    }
    return { count, bounds: [...chunks.keys()], chunks };
  }
}

class KeptStream implements Stream {
  readonly #stream: Stream;
  readonly #kept: KeptChunks;

  constructor(stream: Stream, kept: KeptChunks) {
    this.#stream = stream;
    this.#kept = kept;
  }

  get count(): number {
    return this.#stream.count;
  }

  get exact(): boolean {
    return this.#stream.exact;
  }

  get chunkCount(): number {
    return this.#stream.chunkCount;
  }

  chunk(i: number): readonly Uid[] {
    return this.#kept.chunk(i, this.#stream);
  }

  boundOf(i: number): number {
    return this.#stream.boundOf(i);
  }

  chunkFor(uid: Uid): number {
    return this.#stream.chunkFor(uid);
  }

  contains(uid: Uid): boolean {
    return this.#stream.contains(uid);
  }
}
