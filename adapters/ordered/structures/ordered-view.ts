// Reads an ordered index in one view.

import { entryPosition, placeOf } from "./block-search.ts";
import { averageEntries } from "./full-block.ts";
import { type Block, type Directory, type Entry, noBlock } from "./index-blocks.ts";
import type { SortKey } from "./sort-keys.ts";

/** The position before entry `index` of block `block`. */
export interface Position {
  readonly block: number;
  readonly index: number;
}

/** An ordered index in one view. */
export class OrderedView {
  readonly #directory: Directory;
  readonly #blockOf: (id: number) => Block;

  constructor(directory: Directory, blockOf: (id: number) => Block) {
    this.#directory = directory;
    this.#blockOf = blockOf;
  }

  get blockCount(): number {
    return this.#directory.ids.length;
  }

  block(i: number): Block {
    const id = this.#directory.ids[i];
    return id === undefined ? noBlock : this.#blockOf(id);
  }

  /** The position of the first entry that is not below (`key`, `uid`). */
  lowerBound(key: SortKey, uid: number): Position {
    const block = placeOf(this.#directory, key, uid);
    const index = entryPosition(this.block(block), key, uid);
    return { block, index };
  }

  start(): Position {
    return { block: 0, index: 0 };
  }

  end(): Position {
    return { block: this.blockCount, index: 0 };
  }

  /** The number of entries from `from` to before `to`: exact within a few blocks, else estimated from the average block. */
  estimate(from: Position, to: Position): number {
    if (to.block < from.block) return 0;
    if (to.block === from.block) return Math.max(0, to.index - from.index);
    const first = this.block(from.block).uids.length - from.index;
    return first + to.index + Math.max(0, to.block - from.block - 1) * averageEntries;
  }

  /** Calls `visit` with each entry from `from` to before `to`, until it returns false. @returns the number of calls */
  forward(from: Position, to: Position, visit: (uid: number, key: SortKey) => boolean): number {
    let count = 0;
    for (let b = from.block; b <= to.block && b < this.blockCount; b++) {
      const { keys, uids } = this.block(b);
      const last = b === to.block ? to.index : uids.length;
      for (let i = b === from.block ? from.index : 0; i < last; i++) {
        count++;
        if (!visit(uids[i] ?? 0, keys[i] ?? 0)) return count;
      }
    }
    return count;
  }

  /** As `forward`, from the last run of equal keys to the first; within a run uids ascend. Both positions are in one block. */
  backward(from: Position, to: Position, visit: (uid: number, key: SortKey) => boolean): number {
    const { keys, uids } = this.block(from.block);
    let count = 0;
    for (let end = to.index; end > from.index; ) {
      let start = end - 1;
      while (start > from.index && keys[start - 1] === keys[end - 1]) start--;
      for (let i = start; i < end; i++) {
        count++;
        if (!visit(uids[i] ?? 0, keys[i] ?? 0)) return count;
      }
      end = start;
    }
    return count;
  }

  entryAt(position: Position): Entry | undefined {
    let { block, index } = position;
    while (block < this.blockCount && index >= this.block(block).uids.length) {
      block++;
      index = 0;
    }
    const { keys, uids } = this.block(block);
    const key = keys[index];
    return key === undefined ? undefined : { key, uid: uids[index] ?? 0 };
  }
}
