// Entries of an ordered index over numbers, as far as a build holds them: pairs in columns, sorted block by block. Most numbers are distinct: a table of them
// would take more time than all other steps.

import type { Uid } from "../../../core/storage.ts";
import { blockGroups, type KeyGroup, type Run } from "./key-group.ts";

/** Sorting a block takes some two milliseconds. */
const blockEntries = 1 << 15;
/** Whole numbers below it are sorted together with their place, as one number: many times quicker than by a comparison in JavaScript. */
const narrow = 2 ** 31;

interface NumberBlock {
  readonly keys: Float64Array;
  readonly uids: Float64Array;
}

export class GatheredNumbers {
  readonly #blocks: NumberBlock[] = [];
  #open: NumberBlock | undefined;
  #filled = blockEntries;

  add(key: number, uid: Uid): void {
    let block = this.#open;
    if (block === undefined || this.#filled === blockEntries) {
      block = { keys: new Float64Array(blockEntries), uids: new Float64Array(blockEntries) };
      this.#blocks.push(block);
      this.#open = block;
      this.#filled = 0;
    }
    block.keys[this.#filled] = key;
    block.uids[this.#filled] = uid;
    this.#filled++;
  }

  get count(): number {
    return this.#blocks.length * blockEntries - (this.#open === undefined ? 0 : blockEntries - this.#filled);
  }

  get weight(): number {
    return this.count * 2;
  }

  /** One run for each block. Nothing is added afterwards. */
  *runs(): Generator<Run> {
    for (const block of this.#blocks) yield sortedRun(block, block === this.#open ? this.#filled : blockEntries);
  }
}

function* sortedRun({ keys, uids }: NumberBlock, length: number): Generator<readonly KeyGroup[]> {
  const order = orderOf(keys.subarray(0, length));
  let groups: KeyGroup[] = [];
  for (let i = 0; i < length; ) {
    const key = keys[order[i] ?? 0] ?? 0;
    const held: Uid[] = [];
    for (; i < length && keys[order[i] ?? 0] === key; i++) {
      const uid = uids[order[i] ?? 0] ?? 0;
      if (held[held.length - 1] !== uid) held.push(uid);
    }
    groups.push({ key, uids: held });
    if (groups.length < blockGroups) continue;
    yield groups;
    groups = [];
  }
  if (groups.length > 0) yield groups;
}

/** The places of the keys in ascending order; equal ones as they came. */
function orderOf(keys: Float64Array): Float64Array | Uint32Array {
  if (!areNarrow(keys)) return Uint32Array.from(keys, (_, i) => i).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
  const order = new Float64Array(keys.length);
  for (let i = 0; i < keys.length; i++) order[i] = ((keys[i] ?? 0) + narrow) * blockEntries + i;
  order.sort();
  for (let i = 0; i < keys.length; i++) order[i] = (order[i] ?? 0) % blockEntries;
  return order;
}

function areNarrow(keys: Float64Array): boolean {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? 0;
    if (!Number.isInteger(key) || key < -narrow || key >= narrow) return false;
  }
  return true;
}
