// Pairs of uids in columns outside the heap: an object for each pair would be most of the memory of a load.

import type { Uid } from "../../../core/storage.ts";

/** Pairs `keys[i]`, `uids[i]` for each `i` below `length`. */
export interface PairBlock {
  readonly keys: Float64Array;
  readonly uids: Float64Array;
  readonly length: number;
}

/** Uids below this one are sorted together with their key, as one number: ten times quicker than by a comparison in JavaScript. */
const narrow = 2 ** 26;

/** Sorting a block takes some four milliseconds; the blocks of both sides of an edge are often full in one turn. */
const narrowBlockPairs = 1 << 15;
const wideBlockPairs = 1 << 13;

/** A block that is being filled. */
export class OpenBlock {
  readonly #keys = new Float64Array(narrowBlockPairs);
  readonly #uids = new Float64Array(narrowBlockPairs);
  #length = 0;
  #atMost = narrowBlockPairs;

  /** @returns false when the pair has no room: nothing was added */
  add(key: Uid, uid: Uid): boolean {
    if (key >= narrow || uid >= narrow) this.#atMost = wideBlockPairs;
    if (this.#length >= this.#atMost) return false;
    this.#keys[this.#length] = key;
    this.#uids[this.#length] = uid;
    this.#length++;
    return true;
  }

  get length(): number {
    return this.#length;
  }

  /** The pairs by ascending key and uid. Nothing is added afterwards. */
  sorted(): PairBlock {
    const block = { keys: this.#keys.subarray(0, this.#length), uids: this.#uids.subarray(0, this.#length), length: this.#length };
    return this.#atMost === narrowBlockPairs ? sortNarrow(block) : sortWide(block);
  }
}

function sortNarrow({ keys, uids, length }: PairBlock): PairBlock {
  const pairs = new Float64Array(length);
  for (let i = 0; i < length; i++) pairs[i] = (keys[i] ?? 0) * narrow + (uids[i] ?? 0);
  pairs.sort();
  for (let i = 0; i < length; i++) {
    const pair = pairs[i] ?? 0;
    const key = Math.floor(pair / narrow);
    keys[i] = key;
    uids[i] = pair - key * narrow;
  }
  return { keys, uids, length };
}

function sortWide({ keys, uids, length }: PairBlock): PairBlock {
  const order = Uint32Array.from({ length }, (_, i) => i);
  order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || (uids[a] ?? 0) - (uids[b] ?? 0));
  return { keys: Float64Array.from(order, (i) => keys[i] ?? 0), uids: Float64Array.from(order, (i) => uids[i] ?? 0), length };
}
