// A posting list as one view of the store has it: chunks that are read when they are needed, searched by galloping.

import { gallop, lowerBound, upperBound } from "./sorted-uids.ts";

export const noUids: readonly number[] = Object.freeze([]);

/** A list in one view. Its tail is its last chunk. */
export class PostingList {
  readonly count: number;
  readonly exact = true;
  readonly chunkCount: number;
  readonly #bounds: readonly number[];
  readonly #chunkOf: (bound: number) => readonly number[];
  readonly #tail: readonly number[];
  readonly #tailBound: number;
  #near = 0;
  #nearUids: readonly number[] | undefined;
  #position = 0;

  constructor(count: number, bounds: readonly number[], chunkOf: (bound: number) => readonly number[], tail = noUids) {
    this.count = count;
    this.chunkCount = bounds.length + (tail.length > 0 ? 1 : 0);
    this.#bounds = bounds;
    this.#chunkOf = chunkOf;
    this.#tail = tail;
    this.#tailBound = tail[0] ?? Number.POSITIVE_INFINITY;
  }

  chunk(i: number): readonly number[] {
    const bound = this.#bounds[i];
    if (bound !== undefined) return this.#chunkOf(bound);
    return i === this.#bounds.length ? this.#tail : noUids;
  }

  /** A lower bound of the uids in chunk `i` and all later ones; earlier chunks hold only smaller uids. */
  boundOf(i: number): number {
    return this.#bounds[i] ?? (i === this.#bounds.length ? this.#tailBound : Number.POSITIVE_INFINITY);
  }

  /** The chunk that has, or would have, `uid`. */
  chunkFor(uid: number): number {
    return uid >= this.#tailBound ? this.#bounds.length : Math.max(0, upperBound(this.#bounds, uid, 0) - 1);
  }

  /** Fastest for ascending uids: it gallops on from the last position. */
  contains(uid: number): boolean {
    let near = this.#near;
    if (this.#nearUids === undefined || uid < this.boundOf(near) || uid >= this.boundOf(near + 1)) {
      near = this.chunkFor(uid);
      this.#near = near;
      this.#nearUids = this.chunk(near);
      this.#position = 0;
    }
    const uids = this.#nearUids ?? noUids;
    const from = this.#position;
    const passed = from >= uids.length || (uids[from] ?? 0) > uid;
    const position = passed ? lowerBound(uids, uid, 0, from) : gallop(uids, uid, from);
    this.#position = position;
    return uids[position] === uid;
  }

  /** All uids. For lists that the caller needs as a whole. */
  all(): number[] {
    if (this.chunkCount === 1) return this.chunk(0).slice();
    const uids: number[] = [];
    for (let i = 0; i < this.chunkCount; i++) for (const uid of this.chunk(i)) uids.push(uid);
    return uids;
  }
}

export const emptyList = new PostingList(0, noUids, () => noUids);

/** The first and the last uid; undefined of an empty list. The chunks at its ends may have lost all that they had. */
export function endsOf(list: Pick<PostingList, "chunkCount" | "chunk">): readonly [first: number, last: number] | undefined {
  let [low, high] = [0, list.chunkCount - 1];
  while (low <= high && list.chunk(low).length === 0) low++;
  while (low < high && list.chunk(high).length === 0) high--;
  const first = low <= high ? list.chunk(low)[0] : undefined;
  return first === undefined ? undefined : [first, list.chunk(high).at(-1) ?? first];
}
