// Pairs of a key's number and a uid, in columns outside the heap: an array for each key would be most of what a build keeps there, and what its
// garbage collection copies.

import type { Uid } from "../../../core/storage.ts";

/** Entries of one block: little enough for indexes with few of them. */
const blockEntries = 1 << 14;

interface EntryBlock {
  readonly keys: Uint32Array;
  readonly uids: Float64Array;
}

export class GatheredEntries {
  readonly #blocks: EntryBlock[] = [];
  /** The entries of each key. */
  readonly #counts: number[] = [];
  readonly #lastUids: Uid[] = [];
  #open: EntryBlock | undefined;
  #filled = blockEntries;

  /**
   * @param key numbers of new keys ascend from 0
   * @returns false when it equals the key's last entry
   */
  add(key: number, uid: Uid): boolean {
    if (this.#lastUids[key] === uid) return false;
    this.#lastUids[key] = uid;
    this.#counts[key] = (this.#counts[key] ?? 0) + 1;
    let block = this.#open;
    if (block === undefined || this.#filled === blockEntries) {
      block = { keys: new Uint32Array(blockEntries), uids: new Float64Array(blockEntries) };
      this.#blocks.push(block);
      this.#open = block;
      this.#filled = 0;
    }
    block.keys[this.#filled] = key;
    block.uids[this.#filled] = uid;
    this.#filled++;
    return true;
  }

  /** Brings the entries of each key together; yields between two blocks, which take less than a millisecond. Nothing is added afterwards. */
  *grouped(): Generator<void, UidsOfKeys> {
    const ends = new Float64Array(this.#counts.length);
    let total = 0;
    for (let key = 0; key < ends.length; key++) {
      ends[key] = total;
      total += this.#counts[key] ?? 0;
    }
    const uids = new Float64Array(total);
    for (const block of this.#blocks) {
      const length = block === this.#open ? this.#filled : blockEntries;
      for (let i = 0; i < length; i++) {
        const key = block.keys[i] ?? 0;
        const at = ends[key] ?? 0;
        uids[at] = block.uids[i] ?? 0;
        ends[key] = at + 1;
      }
      yield;
    }
    return (key) => listBetween(uids, key === 0 ? 0 : (ends[key - 1] ?? 0), ends[key] ?? 0);
  }
}

/** An array of the exact size. For lists of six, `Array.from` of a part takes twelve times as long: most lists of an index are short. */
function listBetween(uids: Float64Array, begin: number, end: number): Uid[] {
  const list: Uid[] = [];
  for (let i = begin; i < end; i++) list.push(uids[i] ?? 0);
  return list.slice();
}

/** The uids of a key, in the order in which they were added. */
export type UidsOfKeys = (key: number) => Uid[];
