// The references of one file as far as they are written at once, with those of all files, and the batches that are left to the second pass.

import type { Position } from "./line-batches.ts";

export class ReferencesAtOnce {
  /** How many lines with references each batch has, by the number of lines up to its end. */
  readonly #batches = new Map<number, number>();
  #left = 0;
  #end: Position | undefined;

  /** A batch up to `end` is read. @returns a function that leaves it to the second pass */
  batch(end: Position, lines: number): () => void {
    this.#batches.set(end.lines, lines);
    this.#end = end;
    return () => {
      this.#batches.delete(end.lines);
      this.#left += 1;
    };
  }

  /** The position after the last batch. */
  get end(): Position | undefined {
    return this.#end;
  }

  /** Batches that are left. */
  get left(): number {
    return this.#left;
  }

  /** Lines whose references are written. */
  get lines(): number {
    return [...this.#batches.values()].reduce((sum, lines) => sum + lines, 0);
  }

  /** Whether the batch up to `end` is written. */
  has(end: Position): boolean {
    return this.#batches.has(end.lines);
  }
}
