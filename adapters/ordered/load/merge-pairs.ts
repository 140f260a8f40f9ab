// Merges sorted runs of pairs.

import { nextTurn } from "../../../core/storage.ts";
import type { PairBlock } from "./pair-block.ts";

/** Blocks of pairs that ascend, within a block and from one to the next. */
export type PairRun = AsyncIterator<PairBlock> | Iterator<PairBlock>;

/** Pairs of one merged block. Where each is a list of its own, writing them takes some milliseconds. */
const mergedPairs = 1 << 11;

/** The pairs of all runs, ascending; equal ones come one after another. */
export async function* mergePairs(runs: Iterable<PairRun>): AsyncGenerator<PairBlock> {
  const cursors: PairCursor[] = [];
  try {
    for (const run of runs) cursors.push(new PairCursor(run));
    const heap: PairCursor[] = [];
    for (const cursor of cursors) if (await cursor.nextBlock()) heap.push(cursor);
    for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(heap, i);
    for (;;) {
      const block = await mergedBlock(heap);
      if (block.length === 0) return;
      yield block;
      await nextTurn();
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

async function mergedBlock(heap: PairCursor[]): Promise<PairBlock> {
  const keys = new Float64Array(mergedPairs);
  const uids = new Float64Array(mergedPairs);
  let length = 0;
  for (let top = heap[0]; top !== undefined && length < mergedPairs; top = heap[0]) {
    keys[length] = top.key;
    uids[length] = top.uid;
    length++;
    if (!top.next() && !(await top.nextBlock())) {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
    }
    sink(heap, 0);
  }
  return { keys, uids, length };
}

/** A place in a run. */
class PairCursor {
  readonly #run: PairRun;
  #block: PairBlock = { keys: new Float64Array(0), uids: new Float64Array(0), length: 0 };
  #at = 0;
  key = 0;
  uid = 0;

  constructor(run: PairRun) {
    this.#run = run;
  }

  /** @returns false at the end of a block */
  next(): boolean {
    this.#at++;
    if (this.#at >= this.#block.length) return false;
    this.key = this.#block.keys[this.#at] ?? 0;
    this.uid = this.#block.uids[this.#at] ?? 0;
    return true;
  }

  /** @returns false at the end of the run */
  async nextBlock(): Promise<boolean> {
    const { value, done } = await this.#run.next();
    if (done === true) return false;
    this.#block = value;
    this.#at = -1;
    return this.next();
  }

  async close(): Promise<void> {
    await this.#run.return?.(undefined);
  }
}

function sink(heap: PairCursor[], from: number): void {
  let at = from;
  for (;;) {
    let least = at;
    for (let below = 2 * at + 1; below <= 2 * at + 2; below++) {
      const [one, other] = [heap[below], heap[least]];
      if (one !== undefined && other !== undefined && isBefore(one, other)) least = below;
    }
    const [here, there] = [heap[at], heap[least]];
    if (least === at || here === undefined || there === undefined) return;
    heap[at] = there;
    heap[least] = here;
    at = least;
  }
}

function isBefore(one: PairCursor, other: PairCursor): boolean {
  return one.key < other.key || (one.key === other.key && one.uid < other.uid);
}
