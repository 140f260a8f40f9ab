// A small number for each of many nodes: one array where their uids are dense, chunks where they are scattered.

import type { Uid } from "../../../core/storage.ts";
import { chunkOf, columnChunk } from "../structures/column.ts";

/** One array may hold so many places for each node. */
const placesForNode = 16;

export interface UidRange {
  readonly first: Uid;
  readonly last: Uid;
  /** How many of the uids from `first` to `last` are nodes, at most. */
  readonly nodes: number;
}

/** Marks of the nodes of a range. Others cannot be marked. */
export class UidMarks {
  readonly #first: Uid;
  readonly #last: Uid;
  readonly #dense: Uint32Array | undefined;
  readonly #chunks = new Map<number, Uint32Array>();

  constructor({ first, last, nodes }: UidRange) {
    this.#first = first;
    this.#last = last;
    const places = last - first + 1;
    this.#dense = places <= nodes * placesForNode ? new Uint32Array(Math.max(0, places)) : undefined;
  }

  /** 0: not marked. */
  of(uid: Uid): number {
    if (this.#dense !== undefined) return this.#dense[uid - this.#first] ?? 0;
    return this.#chunks.get(chunkOf(uid))?.[uid & 255] ?? 0;
  }

  /** @param uids ascending */
  set(uids: readonly Uid[], mark: number): void {
    const [dense, first] = [this.#dense, this.#first];
    if (dense !== undefined) {
      // Writes outside the array are ignored.
      for (let i = 0; i < uids.length; i++) dense[(uids[i] ?? 0) - first] = mark;
      return;
    }
    let near = Number.NaN;
    let chunk: Uint32Array | undefined;
    for (const uid of uids) {
      if (uid < first || uid > this.#last) continue;
      const number = chunkOf(uid);
      if (number !== near) chunk = this.#chunk(number);
      near = number;
      if (chunk) chunk[uid & 255] = mark;
    }
  }

  #chunk(number: number): Uint32Array {
    const known = this.#chunks.get(number) ?? new Uint32Array(columnChunk);
    this.#chunks.set(number, known);
    return known;
  }
}
