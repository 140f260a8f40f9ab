// Reads of few documents that a transaction asks for side by side: one round trip for all of them.

import type { Document } from "mongodb";
import type { Doc } from "../connection/connection.ts";

export interface SmallRead {
  readonly collection: string;
  readonly pipeline: readonly Document[];
}

interface Waiting {
  readonly read: SmallRead;
  readonly resolve: (docs: readonly Doc[]) => void;
  readonly reject: (reason: unknown) => void;
}

export class ReadsTogether {
  readonly #run: (reads: readonly SmallRead[]) => Promise<readonly (readonly Doc[])[]>;
  #waiting: Waiting[] = [];

  /** @param run the documents of each read, in order */
  constructor(run: (reads: readonly SmallRead[]) => Promise<readonly (readonly Doc[])[]>) {
    this.#run = run;
  }

  /** Waits for the reads that the same turn of the transaction's work asks for. */
  read(read: SmallRead): Promise<readonly Doc[]> {
    return new Promise((resolve, reject) => {
      // A tick begins when no promise is left to go on: every read that waits for nothing else has been asked for.
      if (this.#waiting.push({ read, resolve, reject }) === 1) queueMicrotask(() => process.nextTick(() => void this.#send()));
    });
  }

  async #send(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const found = await this.#run(waiting.map(({ read }) => read));
      for (const [i, { resolve }] of waiting.entries()) resolve(found[i] ?? []);
    } catch (thrown) {
      for (const { reject } of waiting) reject(thrown);
    }
  }
}

/** A pipeline on the database whose only document has the documents of read `i` under its number. Unlike `$unionWith`, transactions allow it. */
export function joinedPipeline(reads: readonly SmallRead[]): Document[] {
  return [
    { $documents: [{}] },
    ...reads.map(({ collection, pipeline }, i) => ({ $lookup: { from: collection, pipeline: [...pipeline], as: `r${i}` } })),
  ];
}

/** The documents of each read in the answer to `joinedPipeline`. */
export function separated(joined: Document | undefined, count: number): Doc[][] {
  return Array.from({ length: count }, (_, i) => joined?.[`r${i}`] ?? []);
}
