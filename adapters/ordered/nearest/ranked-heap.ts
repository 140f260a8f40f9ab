// A binary heap of uids with ranks, in two plain arrays: no object for each entry.

export class RankedHeap {
  readonly #ranks: number[] = [];
  readonly #uids: number[] = [];
  /** 1: the smallest rank is on top. -1: the largest. */
  readonly #sign: 1 | -1;

  constructor(top: "smallest" | "largest") {
    this.#sign = top === "smallest" ? 1 : -1;
  }

  get size(): number {
    return this.#uids.length;
  }

  /** NaN when it is empty: no rank compares with it. */
  get topRank(): number {
    return this.#sign * (this.#ranks[0] ?? Number.NaN);
  }

  push(rank: number, uid: number): void {
    const ranks = this.#ranks;
    const uids = this.#uids;
    const own = this.#sign * rank;
    let place = ranks.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = ranks[parent] as number;
      if (above <= own) break;
      ranks[place] = above;
      uids[place] = uids[parent] as number;
      place = parent;
    }
    ranks[place] = own;
    uids[place] = uid;
  }

  /** Removes the top and returns its uid. */
  pop(): number {
    const ranks = this.#ranks;
    const uids = this.#uids;
    const top = uids[0] as number;
    const rank = ranks.pop() as number;
    const uid = uids.pop() as number;
    const size = ranks.length;
    if (size === 0) return top;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && (ranks[child + 1] as number) < (ranks[child] as number)) child++;
      if ((ranks[child] as number) >= rank) break;
      ranks[place] = ranks[child] as number;
      uids[place] = uids[child] as number;
      place = child;
    }
    ranks[place] = rank;
    uids[place] = uid;
    return top;
  }

  /** The entries, nearest first. Empties the heap. */
  drain(): RankedUid[] {
    const found: RankedUid[] = this.#uids.map((uid, i) => ({ uid, rank: this.#sign * (this.#ranks[i] ?? 0) }));
    this.#uids.length = 0;
    this.#ranks.length = 0;
    return found.sort((a, b) => a.rank - b.rank || a.uid - b.uid);
  }
}

export interface RankedUid {
  readonly uid: number;
  readonly rank: number;
}
