// Ascending uids in chunks, which are read on demand.

import { emptyList, PostingList } from "../structures/posting-list.ts";
import { lowerBound, mergedEvenly } from "../structures/sorted-uids.ts";

export interface Stream {
  /** How many, at most. */
  readonly count: number;
  /** `count` is exact. */
  readonly exact: boolean;
  readonly chunkCount: number;
  chunk(i: number): readonly number[];
  /** A lower bound of the uids in chunk `i` and all later ones; earlier chunks hold only smaller uids. Known without reading the chunk. */
  boundOf(i: number): number;
  /** The chunk in which `uid` is or would be. */
  chunkFor(uid: number): number;
  contains(uid: number): boolean;
}

export function streamOf(uids: readonly number[]): Stream {
  return new PostingList(uids.length, [0], () => uids);
}

export const emptyStream: Stream = emptyList;

/** The union of streams, still chunk by chunk, in the chunks of the one that has most. */
export function unionOf(streams: readonly Stream[]): Stream {
  const present = streams.filter((stream) => stream.count > 0);
  const [only] = present;
  if (only === undefined) return emptyStream;
  return present.length === 1 ? only : new Union(present);
}

class Union implements Stream {
  /** Counts a uid once for each stream that holds it. */
  readonly exact = false;
  readonly count: number;
  readonly #streams: readonly Stream[];
  readonly #longest: Stream;

  constructor(streams: readonly Stream[]) {
    this.#streams = streams;
    this.count = streams.reduce((sum, stream) => sum + stream.count, 0);
    this.#longest = streams.reduce((a, b) => (b.chunkCount > a.chunkCount ? b : a));
  }

  get chunkCount(): number {
    return this.#longest.chunkCount;
  }

  chunk(i: number): readonly number[] {
    const last = Math.min(this.boundOf(i + 1) - 1, Number.MAX_SAFE_INTEGER);
    return mergeOf(this.#streams.map((stream) => within(stream, this.boundOf(i) - 1, last)));
  }

  /** The first chunk begins where any of the streams does. */
  boundOf(i: number): number {
    return i === 0 ? 0 : this.#longest.boundOf(i);
  }

  chunkFor(uid: number): number {
    return this.#longest.chunkFor(uid);
  }

  contains(uid: number): boolean {
    return this.#streams.some((stream) => stream.contains(uid));
  }
}

/** The uids above `after` up to `last`. */
function within(stream: Stream, after: number, last: number): readonly number[] {
  const from = stream.chunkFor(after + 1);
  const to = stream.chunkFor(last);
  if (from === to) return cut(stream.chunk(from), after, last);
  const uids: number[] = [];
  for (let i = from; i <= to; i++) for (const uid of cut(stream.chunk(i), after, last)) uids.push(uid);
  return uids;
}

function cut(uids: readonly number[], after: number, last: number): readonly number[] {
  const start = lowerBound(uids, after + 1);
  const end = last >= (uids.at(-1) ?? 0) ? uids.length : lowerBound(uids, last + 1);
  return start === 0 && end === uids.length ? uids : uids.slice(start, end);
}

/** Merges ascending lists, pair by pair; each uid comes once. Sorting them all takes several times as long. */
function mergeOf(lists: readonly (readonly number[])[]): readonly number[] {
  let left = lists.filter((list) => list.length > 0);
  while (left.length > 1) left = mergedPairs(left);
  return left[0] ?? [];
}

function mergedPairs(lists: readonly (readonly number[])[]): (readonly number[])[] {
  const pairs: (readonly number[])[] = [];
  for (let i = 0; i < lists.length; i += 2) {
    const [one = [], other] = lists.slice(i, i + 2);
    pairs.push(other === undefined ? one : mergedEvenly(one, other));
  }
  return pairs;
}

/** Sorts and drops repeats. */
export function ascending(uids: readonly number[]): number[] {
  const sorted = Float64Array.from(uids).sort();
  const distinct: number[] = [];
  let before = Number.NaN;
  for (const uid of sorted) {
    if (uid !== before) distinct.push(uid);
    before = uid;
  }
  return distinct;
}
