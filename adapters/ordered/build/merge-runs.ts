// Merges sorted runs. Groups with one key come one after another, in the order of their runs.

import { nextTurn, run, TurnClock, type Work, wait } from "../../../core/storage.ts";
import { compareSortKeys } from "../structures/sort-keys.ts";
import type { KeyGroup, Run } from "./key-group.ts";

/** Uids of one portion at most; a longer group comes in several. A multiple of the size of a chunk, so that chunks become full. */
const portionUids = 4_096;
/** Groups of one portion at most: each takes some ten microseconds to write. */
const portionGroups = 1_000;

/** The groups of all runs by ascending key, in portions that take some milliseconds to write. Itself a run. */
export async function* mergeRuns(runs: Iterable<Run>): AsyncGenerator<readonly KeyGroup[]> {
  const open: RunCursor[] = [];
  try {
    yield* mergeCursors(await run(cursorsOf(runs, open)));
  } finally {
    // Those that were read to their end have closed themselves.
    for (const cursor of open) await cursor.close();
  }
}

async function* mergeCursors(heap: RunCursor[]): AsyncGenerator<readonly KeyGroup[]> {
  const clock = new TurnClock();
  let portion: KeyGroup[] = [];
  let room = portionUids;
  for (let top = heap[0]; top !== undefined; top = heap[0]) {
    const { group } = top;
    const { uids } = group;
    for (let start = 0; start < uids.length; ) {
      if (room === 0 || portion.length === portionGroups) {
        yield portion;
        portion = [];
        room = portionUids;
        if (clock.isOver) {
          await nextTurn();
          clock.restart();
        }
      }
      const end = Math.min(uids.length, start + room);
      portion.push(partOf(group, start, end));
      room -= end - start;
      start = end;
    }
    const more = top.next();
    if (!(typeof more === "boolean" ? more : await more)) removeTop(heap);
    sink(heap, 0);
  }
  if (portion.length > 0) yield portion;
}

/** The entries of a group between two places. */
export function partOf(group: KeyGroup, start: number, end: number): KeyGroup {
  const { key, uids, values } = group;
  if (start === 0 && end === uids.length) return group;
  return { key, uids: uids.slice(start, end), ...(values && { values: values.slice(start, end) }) };
}

/** A place in a run. */
class RunCursor {
  readonly #run: Run;
  readonly #rank: number;
  #block: readonly KeyGroup[] = [];
  #at = 0;

  constructor(run: Run, rank: number) {
    this.#run = run;
    this.#rank = rank;
  }

  get group(): KeyGroup {
    return this.#block[this.#at] ?? nothing;
  }

  /** @returns whether there is another group */
  next(): boolean | Promise<boolean> {
    this.#at++;
    return this.#at < this.#block.length || this.#nextBlock();
  }

  async #nextBlock(): Promise<boolean> {
    const { value, done } = await this.#run.next();
    this.#block = done === true ? [] : value;
    this.#at = 0;
    return this.#block.length > 0;
  }

  /** Reads no more. */
  async close(): Promise<void> {
    await this.#run.return(undefined);
  }

  isBefore(other: RunCursor): boolean {
    return (compareSortKeys(this.group.key, other.group.key) || this.#rank - other.#rank) < 0;
  }
}

const nothing: KeyGroup = { key: 0, uids: [] };

/** A heap of the runs that hold something. @param open gets all that were opened */
function* cursorsOf(runs: Iterable<Run>, open: RunCursor[]): Work<RunCursor[]> {
  const heap: RunCursor[] = [];
  for (const sorted of runs) {
    const cursor = new RunCursor(sorted, open.length);
    open.push(cursor);
    if (yield* wait(cursor.next())) heap.push(cursor);
    yield;
  }
  for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(heap, i);
  return heap;
}

function removeTop(heap: RunCursor[]): void {
  const last = heap.pop();
  if (last !== undefined && heap.length > 0) heap[0] = last;
}

function sink(heap: RunCursor[], from: number): void {
  let at = from;
  for (;;) {
    const least = leastOf(heap, at);
    const [here, there] = [heap[at], heap[least]];
    if (least === at || here === undefined || there === undefined) return;
    heap[at] = there;
    heap[least] = here;
    at = least;
  }
}

/** The least of an element of the heap and the two below it. */
function leastOf(heap: readonly RunCursor[], at: number): number {
  let least = at;
  for (const below of [2 * at + 1, 2 * at + 2]) {
    const [one, other] = [heap[below], heap[least]];
    if (one !== undefined && other !== undefined && one.isBefore(other)) least = below;
  }
  return least;
}
