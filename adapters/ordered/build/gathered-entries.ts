// Pairs of a key's number and a uid, in columns outside the heap: an array for each key would be most of what a build keeps there, and what its
// garbage collection copies.

import type { Uid } from "../../../core/storage.ts";

/** Entries of one block: little enough for indexes with few of them. */
const blockEntries = 1 << 14;

interface EntryBlock {
  readonly keys: Uint32Array;
  readonly uids: Float64Array;
  readonly values: Float64Array | undefined;
}

export interface GatheredEntriesOptions {
  /** Each entry has a number of its own beside the uid. */
  readonly valued: boolean;
}

export class GatheredEntries {
  readonly #options: GatheredEntriesOptions;
  readonly #blocks: EntryBlock[] = [];
  /** The entries of each key. */
  readonly #counts: number[] = [];
  readonly #lastUids: Uid[] = [];
  #open: EntryBlock | undefined;
  #filled = blockEntries;
  #count = 0;

  constructor(options: GatheredEntriesOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  /** An entry that equals the last one of its key is left out. @param key numbers of new keys ascend from 0 */
  add(key: number, uid: Uid, value = Number.NaN): void {
    if (this.#lastUids[key] === uid) return;
    this.#count++;
    this.#lastUids[key] = uid;
    this.#counts[key] = (this.#counts[key] ?? 0) + 1;
    let block = this.#open;
    if (block === undefined || this.#filled === blockEntries) {
      const values = this.#options.valued ? new Float64Array(blockEntries) : undefined;
      block = { keys: new Uint32Array(blockEntries), uids: new Float64Array(blockEntries), values };
      this.#blocks.push(block);
      this.#open = block;
      this.#filled = 0;
    }
    block.keys[this.#filled] = key;
    block.uids[this.#filled] = uid;
    if (block.values !== undefined) block.values[this.#filled] = value;
    this.#filled++;
  }

  /** Brings the entries of each key together; yields between two blocks, which take less than a millisecond. Nothing is added afterwards. */
  *grouped(): Generator<void, EntriesOfKeys> {
    const ends = new Float64Array(this.#counts.length);
    let total = 0;
    for (let key = 0; key < ends.length; key++) {
      ends[key] = total;
      total += this.#counts[key] ?? 0;
    }
    const uids = new Float64Array(total);
    const values = this.#options.valued ? new Float64Array(total) : undefined;
    for (const block of this.#blocks) {
      const length = block === this.#open ? this.#filled : blockEntries;
      for (let i = 0; i < length; i++) {
        const key = block.keys[i] ?? 0;
        const at = ends[key] ?? 0;
        uids[at] = block.uids[i] ?? 0;
        if (values !== undefined) values[at] = block.values?.[i] ?? Number.NaN;
        ends[key] = at + 1;
      }
      yield;
    }
    return (key) => {
      const [begin, end] = [key === 0 ? 0 : (ends[key - 1] ?? 0), ends[key] ?? 0];
      const held = listBetween(uids, begin, end);
      return values === undefined ? { uids: held } : { uids: held, values: listBetween(values, begin, end) };
    };
  }
}

/** An array of the exact size. For lists of six, `Array.from` of a part takes twelve times as long: most lists of an index are short. */
function listBetween(column: Float64Array, begin: number, end: number): number[] {
  const list: number[] = [];
  for (let i = begin; i < end; i++) list.push(column[i] ?? 0);
  return list.slice();
}

/** The entries of a key, in the order in which they were added. */
export type EntriesOfKeys = (key: number) => { readonly uids: Uid[]; readonly values?: readonly number[] };
