// Builds indexes in two steps: gathers the entries of all nodes in sorted runs, then writes each list and each block once, in the order of their keys.
// Writers maintain the indexes meanwhile. What they changed since its entries were gathered is indexed from its record at the end.

import type { MigrationStep, Uid } from "../../../core/storage.ts";
import type { Database } from "../database.ts";
import type { IndexRuntime } from "../deploy/layout-runtime.ts";
import { compareEntries } from "../structures/block-search.ts";
import { formOf } from "../structures/index-blocks.ts";
import type { NodeRecord, Records } from "../structures/records.ts";
import { Additions } from "../write/additions.ts";
import { GatheredIndex, type KeyGroup, type Run } from "./gathered-index.ts";
import { mergeRuns } from "./merge-runs.ts";
import { readRun, writeRun } from "./run-file.ts";
import { Scratch } from "./scratch.ts";

/** What is gathered in memory, counted in uids: some 64 MiB. */
const maxGathered = 8 << 20;
/** Portions in flight: those that finish during a disk write are written together. A concurrent writer waits for these at most. */
const portionsAhead = 4;
const nodesAtOnce = 250;

export class SortedIndexes {
  readonly #database: Database;
  readonly #records: Records;
  readonly #parts: readonly IndexPart[];
  readonly #scratch: Scratch;
  readonly #maxGathered: number;
  #gathered = 0;
  /** Nodes that writers changed since the build began. */
  readonly #changed = new Set<Uid>();

  constructor(database: Database, indexes: readonly IndexRuntime[], gatheredAtMost = maxGathered) {
    this.#database = database;
    this.#records = database.schema.nodes.records;
    this.#parts = indexes.map((index) => ({ gathered: new GatheredIndex(index), runs: [] }));
    this.#scratch = new Scratch(database.store.folder);
    this.#maxGathered = gatheredAtMost;
  }

  /** Called for each node once, in the writer's turn. */
  gather(uid: Uid, record: NodeRecord): void {
    for (const { gathered } of this.#parts) this.#gathered += gathered.add(uid, record);
  }

  /** A writer changed or removed a node, and its entries with it as far as they are there. */
  changed(uid: Uid): void {
    this.#changed.add(uid);
  }

  /** Moves what was gathered to the disk when it takes much memory. */
  spillIfFull(): Promise<void> | undefined {
    return this.#gathered < this.#maxGathered ? undefined : this.#spill();
  }

  async #spill(): Promise<void> {
    this.#gathered = 0;
    for (const { gathered, runs } of this.#parts) {
      const path = await this.#scratch.path();
      await writeRun(path, mergeRuns(gathered.take()));
      runs.push(path);
    }
  }

  /** Writes all indexes, one after another. */
  async write(progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    for (const { gathered, runs } of this.#parts) await this.#writeIndex(gathered, runs, progress);
    await this.#indexChanged();
  }

  async #writeIndex(gathered: GatheredIndex, runs: readonly string[], progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    const { index } = gathered;
    const form = index.by === "ordered" ? formOf(index.field.kind) : "text";
    const all = allOf(
      runs.map((path) => readRun(path, form)),
      gathered.take(),
    );
    const slices = new Slices();
    let done = 0;
    try {
      for await (const portion of mergeRuns(all)) {
        await slices.add(
          this.#database.write(() => {
            this.#add(index, portion);
            return { result: undefined, wrote: true };
          }),
        );
        for (const { uids } of portion) done += uids.length;
        progress?.({ what: `entries of index ${index.name}`, done, total: gathered.entries });
      }
    } finally {
      await slices.settled();
    }
  }

  #add(index: IndexRuntime, portion: readonly KeyGroup[]): void {
    const view = this.#database.writerView;
    const left = (uids: readonly Uid[]) => (this.#changed.size === 0 ? uids.slice() : uids.filter((uid) => !this.#changed.has(uid)));
    if (index.by === "ordered") {
      const entries = portion.flatMap(({ key, uids }) => left(uids).map((uid) => ({ key, uid })));
      // Nodes come type by type: a key that several runs hold begins with low uids again.
      index.entries.addAll(entries.sort(compareEntries), view);
      return;
    }
    for (const { key, uids } of portion) {
      const added = left(uids);
      if (added.length > 0) index.lists.addAll(String(key), added, view);
    }
  }

  /** From here on writers maintain the entries of these nodes. */
  async #indexChanged(): Promise<void> {
    const uids = [...this.#changed];
    const slices = new Slices();
    try {
      for (let start = 0; start < uids.length; start += nodesAtOnce) {
        const some = uids.slice(start, start + nodesAtOnce);
        await slices.add(
          this.#database.write(() => {
            this.#indexAgain(some);
            return { result: undefined, wrote: true };
          }),
        );
      }
    } finally {
      await slices.settled();
    }
  }

  #indexAgain(uids: readonly Uid[]): void {
    const additions = new Additions(this.#database.writerView);
    for (const uid of uids) {
      const record = this.#records.keyspace.read(uid, this.#database.writerView);
      if (record === undefined) continue;
      for (const { gathered } of this.#parts) additions.addRecord(gathered.index, uid, record);
    }
    additions.settle();
  }

  /** Removes what lies on the disk. */
  async close(): Promise<void> {
    await this.#scratch.remove();
  }
}

interface IndexPart {
  readonly gathered: GatheredIndex;
  /** Paths of sorted runs, in the order in which they were gathered. */
  readonly runs: string[];
}

function* allOf(first: Iterable<Run>, second: Iterable<Run>): Generator<Run> {
  yield* first;
  yield* second;
}

/** Writes that wait for the disk. */
class Slices {
  readonly #pending: Promise<unknown>[] = [];

  async add(write: Promise<unknown>): Promise<void> {
    // A failure is thrown when the write is awaited. Until then it must not count as unhandled, which would end the process.
    write.catch(() => undefined);
    this.#pending.push(write);
    if (this.#pending.length >= portionsAhead) await this.#pending.shift();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Waits for all, then throws the first failure: none of them writes after the build has ended. */
  async settled(): Promise<void> {
    for (const outcome of await Promise.allSettled(this.#pending)) if (outcome.status === "rejected") throw outcome.reason;
  }
}
