// Gathers pairs of uids in any order and gives them back in ascending order: in memory as far as they fit, the others in sorted runs on the disk.

import { type FileHandle, open } from "node:fs/promises";
import type { Uid } from "../../../core/storage.ts";
import type { Scratch } from "../build/scratch.ts";
import { mergePairs, type PairRun } from "./merge-pairs.ts";
import { OpenBlock, type PairBlock } from "./pair-block.ts";

export class SortedPairs {
  readonly #scratch: Scratch;
  readonly #paths: string[] = [];
  #blocks: PairBlock[] = [];
  #open = new OpenBlock();

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  /** How many pairs are in memory. */
  get held(): number {
    return this.#blocks.reduce((sum, { length }) => sum + length, this.#open.length);
  }

  add(key: Uid, uid: Uid): void {
    if (this.#open.add(key, uid)) return;
    this.#closeBlock();
    this.#open.add(key, uid);
  }

  #closeBlock(): void {
    this.#blocks.push(this.#open.sorted());
    this.#open = new OpenBlock();
  }

  /** Moves what is in memory to the disk. */
  async spill(): Promise<void> {
    if (this.held === 0) return;
    const path = await this.#scratch.path();
    await writePairs(path, mergePairs(this.#takeRuns()));
    this.#paths.push(path);
  }

  #takeRuns(): readonly PairRun[] {
    this.#closeBlock();
    const blocks = this.#blocks;
    this.#blocks = [];
    return blocks.map((block) => [block].values());
  }

  /** All pairs, ascending; equal ones come one after another. Nothing is added afterwards. */
  merged(): AsyncGenerator<PairBlock> {
    return mergePairs([...this.#paths.map(readPairs), ...this.#takeRuns()]);
  }
}

const lengthBytes = 8;

async function writePairs(path: string, blocks: AsyncIterable<PairBlock>): Promise<void> {
  const file = await open(path, "w");
  try {
    for await (const { keys, uids, length } of blocks) {
      const head = Buffer.alloc(lengthBytes);
      head.writeDoubleLE(length);
      await file.write(Buffer.concat([head, bytesOf(keys, length), bytesOf(uids, length)]));
    }
  } finally {
    await file.close();
  }
}

function bytesOf(column: Float64Array, length: number): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, length * column.BYTES_PER_ELEMENT);
}

async function* readPairs(path: string): AsyncGenerator<PairBlock> {
  const file = await open(path, "r");
  try {
    for (;;) {
      const head = Buffer.alloc(lengthBytes);
      const { bytesRead } = await file.read(head, 0, lengthBytes);
      if (bytesRead < lengthBytes) return;
      const length = head.readDoubleLE();
      yield { keys: await readColumn(file, length), uids: await readColumn(file, length), length };
    }
  } finally {
    await file.close();
  }
}

async function readColumn(file: FileHandle, length: number): Promise<Float64Array> {
  const column = new Float64Array(length);
  await file.read(bytesOf(column, length), 0, column.byteLength);
  return column;
}
