// A binary heap of uids with ranks, in two plain arrays: no object for each entry. Of equal ranks the newer node, with the higher uid, counts as the
// nearer one. A search among equal vectors then goes on to the newest, which have room for links; otherwise all would link to those that it meets first.

export class RankedHeap {
  /** Of both numbers the lowest is on top; of equal ranks, the lowest of the others. */
  readonly #ranks: number[] = [];
  readonly #uids: number[] = [];
  readonly #sign: 1 | -1;

  constructor(top: "nearest" | "farthest") {
    this.#sign = top === "nearest" ? 1 : -1;
  }

  get size(): number {
    return this.#uids.length;
  }

  /** Of the top. NaN when it is empty: no rank compares with it. */
  get topRank(): number {
    return this.#sign * (this.#ranks[0] ?? Number.NaN);
  }

  /** NaN when it is empty. */
  get topUid(): number {
    return -this.#sign * (this.#uids[0] ?? Number.NaN);
  }

  push(rank: number, uid: number): void {
    const ranks = this.#ranks;
    const uids = this.#uids;
    const ownRank = this.#sign * rank;
    const ownUid = -this.#sign * uid;
    let place = ranks.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(ownRank, ownUid, ranks[parent] as number, uids[parent] as number)) break;
      ranks[place] = ranks[parent] as number;
      uids[place] = uids[parent] as number;
      place = parent;
    }
    ranks[place] = ownRank;
    uids[place] = ownUid;
  }

  /** Removes the top and returns its uid. */
  pop(): number {
    const ranks = this.#ranks;
    const uids = this.#uids;
    const top = this.topUid;
    const rank = ranks.pop() as number;
    const uid = uids.pop() as number;
    const size = ranks.length;
    if (size === 0) return top;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      const next = child + 1;
      if (next < size && isBefore(ranks[next] as number, uids[next] as number, ranks[child] as number, uids[child] as number)) child = next;
      if (!isBefore(ranks[child] as number, uids[child] as number, rank, uid)) break;
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
    const found: RankedUid[] = this.#uids.map((uid, i) => ({ uid: -this.#sign * uid, rank: this.#sign * (this.#ranks[i] ?? 0) }));
    this.#uids.length = 0;
    this.#ranks.length = 0;
    return found.sort(byNearness);
  }
}

export interface RankedUid {
  readonly uid: number;
  readonly rank: number;
}

export function byNearness(a: RankedUid, b: RankedUid): number {
  return a.rank - b.rank || b.uid - a.uid;
}

function isBefore(rank: number, uid: number, otherRank: number, otherUid: number): boolean {
  return rank < otherRank || (rank === otherRank && uid < otherUid);
}
