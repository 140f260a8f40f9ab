// Builds indexes in two steps: gathers the entries of all nodes in sorted runs, then writes each list and each block once, in the order of their keys.
// Writers maintain the indexes meanwhile. What they changed since its entries were gathered is indexed from its record at the end.
// After a kill the build goes on behind the runs that lie on the disk, or behind the portion of their merge that was written last.

import { type MigrationStep, rescued, run, runAtOnce, type Uid, type Work } from "../../../core/storage.ts";
import type { Database, Outcome } from "../database/database.ts";
import { settled } from "../ground/settled.ts";
import type { CompoundIndexRuntime, IndexRuntime } from "../layout/layout-runtime.ts";
import { compareEntries } from "../structures/block-search.ts";
import { type Entry, formOf } from "../structures/index-blocks.ts";
import type { NodeRecord, Records } from "../structures/records.ts";
import { Additions, ascending } from "../write/additions.ts";
import type { BuildProgress } from "./build-progress.ts";
import { Company } from "./company.ts";
import { GatheredIndex } from "./gathered-index.ts";
import type { KeyGroup, Run } from "./key-group.ts";
import { mergeRuns, partOf } from "./merge-runs.ts";
import type { PartNote, ReadNote, RunNote, WrittenNote } from "./progress-notes.ts";
import { isWholeRun, readRun, writeRun } from "./run-file.ts";
import { type Purpose, Scratch } from "./scratch.ts";

/** What is gathered in memory, counted in uids: some 64 MiB. */
const maxGathered = 8 << 20;
/** Portions in flight: those that finish during a disk write are written together. */
const portionsAhead = 32;
/** The same while others write, who wait for these at most. */
const portionsBeside = 4;
const nodesAtOnce = 250;

export interface SortedIndexesOptions {
  /** What is gathered in memory before the disk is used, counted in uids. */
  readonly gatheredAtMost: number | undefined;
  readonly kept: BuildProgress | undefined;
  /** Where runs lie; by default `build`. */
  readonly purpose?: Purpose;
}

/** How many nodes were read, and where reading goes on; null: all. */
export type ReadSoFar = Pick<ReadNote, "place" | "nodes">;

export class SortedIndexes {
  readonly #database: Database;
  readonly #records: Records;
  readonly #parts: readonly IndexPart[];
  readonly #scratch: Scratch;
  readonly #maxGathered: number;
  readonly #kept: BuildProgress | undefined;
  #written: WrittenNote = { parts: 0, entries: 0 };
  #isResumed = false;
  /** Nodes that writers changed since the build began. */
  readonly #changed = new Set<Uid>();

  constructor(database: Database, indexes: readonly IndexRuntime[], { gatheredAtMost = maxGathered, kept, purpose = "build" }: SortedIndexesOptions) {
    this.#database = database;
    this.#records = database.schema.nodes.records;
    this.#parts = indexes.map((index) => ({ gathered: new GatheredIndex(index), runs: [] }));
    this.#scratch = new Scratch(database.store.folder, purpose);
    this.#maxGathered = gatheredAtMost;
    this.#kept = kept;
  }

  /** Goes on with the runs of an interrupted build, and when all nodes were read with the writing. */
  resume({ place, parts }: ReadNote, written: WrittenNote | undefined): void {
    for (const [i, { gathered, runs }] of this.#parts.entries()) {
      gathered.resume(parts[i]?.entries ?? 0);
      runs.push(...(parts[i]?.runs ?? []));
    }
    this.#scratch.resume(Math.max(0, ...parts.flatMap(({ runs }) => runs.map(({ file }) => file))));
    if (written !== undefined) this.#written = written;
    this.#isResumed = place === null;
  }

  /** Called for each node once, in the writer's turn. */
  *gather(uid: Uid, record: NodeRecord): Work<void> {
    for (const { gathered } of this.#parts) {
      const left = gathered.add(uid, record);
      if (left !== undefined) yield* left;
    }
  }

  /** A writer changed or removed a node, and its entries with it as far as they are there. */
  changed(uid: Uid): void {
    this.#changed.add(uid);
  }

  /** Moves what was gathered to the disk when it takes much memory. */
  spillIfFull(read: ReadSoFar): Promise<void> | undefined {
    return this.#weight < this.#maxGathered ? undefined : this.#spill(read);
  }

  get #weight(): number {
    return this.#parts.reduce((sum, { gathered }) => sum + gathered.weight, 0);
  }

  /** Ends the reading. A build that used the disk once does it to the end: what lies in memory alone would be lost. */
  async endReading(nodes: number): Promise<void> {
    if (this.#isKept) await this.#spill({ place: null, nodes });
  }

  get #isKept(): boolean {
    return this.#kept?.isKept === true;
  }

  async #spill(read: ReadSoFar): Promise<void> {
    // All at once: while the first is written, others may be gathered already.
    const taken = this.#parts.map(({ gathered, runs }) => ({
      runs,
      isEmpty: gathered.isEmpty,
      entries: gathered.entries,
      run: mergeRuns(gathered.take()),
    }));
    const parts: PartNote[] = [];
    for (const { runs, isEmpty, entries, run } of taken) {
      if (!isEmpty) runs.push(await this.#writeRun(run));
      parts.push({ entries, runs: [...runs] });
    }
    if (this.#scratch.isKept) await this.#kept?.keep({ read: { ...read, parts } });
  }

  async #writeRun(run: Run): Promise<RunNote> {
    const path = await this.#scratch.path();
    const file = this.#scratch.files;
    return { file, ...(await writeRun(path, run, { isKept: this.#scratch.isKept && this.#kept !== undefined })) };
  }

  /** Writes what was gathered, one index after another. */
  async write(progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    for (const [i, part] of this.#parts.entries()) {
      if (i < this.#written.parts) continue;
      await this.#writeIndex(part, i, progress);
    }
  }

  async #writeIndex({ gathered, runs }: IndexPart, parts: number, progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    const { index } = gathered;
    const form = index.by === "ordered" ? formOf(index.field.kind) : "text";
    const paths = await Promise.all(runs.map(({ file }) => this.#scratch.pathOf(file)));
    const all = allOf(
      paths.map((path) => readRun(path, form)),
      gathered.take(),
    );
    const isResumed = this.#isResumed && parts === this.#written.parts;
    const before = isResumed ? this.#written.entries : 0;
    const what = `entries of index ${index.name}${isResumed ? resumedAt(before) : ""}`;
    const slices = new Slices();
    const company = new Company(this.#database.engine);
    let hasFailed = false;
    const failed = (thrown: unknown): never => {
      hasFailed = true;
      throw thrown;
    };
    let done = before;
    try {
      for await (const portion of withoutFirst(before, mergeRuns(all))) {
        for (const { uids } of portion) done += uids.length;
        const entries = done;
        const write = (): Outcome<undefined> => {
          // Behind a portion that failed, the note would say that its entries are written.
          if (hasFailed) return { result: undefined, wrote: false };
          company.look();
          this.#add(index, portion);
          this.#kept?.put("written", { parts, entries });
          return { result: undefined, wrote: true };
        };
        await slices.add(
          this.#database.write(() => rescued(write, failed)),
          company.isAlone ? portionsAhead : portionsBeside,
        );
        progress?.({ what, done, total: gathered.entries });
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
    if (index.by === "compound" && portion.some(({ values }) => values !== undefined)) {
      for (const group of joined(portion)) this.#addList(index, group);
      return;
    }
    if (index.by === "compound") {
      const additions = new Additions(view);
      for (const { key, uids } of portion) for (const uid of left(uids)) additions.addEntry(index, key, uid);
      runAtOnce(additions.settle());
      return;
    }
    for (const { key, uids } of portion) {
      const added = left(uids);
      if (added.length > 0) index.lists.addAll(String(key), added, view);
    }
  }

  #addList({ compound }: CompoundIndexRuntime, { key, uids, values = [] }: KeyGroup): void {
    const view = this.#database.writerView;
    const missing: Uid[] = [];
    const entries: Entry[] = [];
    for (let i = 0; i < uids.length; i++) {
      const [uid, value] = [uids[i] ?? 0, values[i] ?? Number.NaN];
      if (this.#changed.has(uid)) continue;
      if (Number.isNaN(value)) missing.push(uid);
      else entries.push({ key: value, uid });
    }
    if (entries.length > 0) compound.addAll(String(key), entries.sort(compareEntries), view);
    if (missing.length > 0) compound.missing.addAll(String(key), ascending(missing), view);
  }

  /** Adds the entries of the nodes that changed, from their records. From here on writers maintain them. */
  async indexChanged(): Promise<void> {
    const uids = [...this.#changed];
    const slices = new Slices();
    try {
      for (let start = 0; start < uids.length; start += nodesAtOnce) {
        const some = uids.slice(start, start + nodesAtOnce);
        await slices.add(
          this.#database.write(async () => {
            await run(this.#indexAgain(some));
            return { result: undefined, wrote: true };
          }),
          portionsBeside,
        );
      }
    } finally {
      await slices.settled();
    }
  }

  *#indexAgain(uids: readonly Uid[]): Work<void> {
    const additions = new Additions(this.#database.writerView);
    for (const uid of uids) {
      const record = this.#records.keyspace.read(uid, this.#database.writerView);
      if (record === undefined) continue;
      for (const { gathered } of this.#parts) {
        const left = additions.addRecord(gathered.index, uid, record);
        if (left !== undefined) yield* left;
      }
      yield;
    }
    yield* additions.settle();
  }

  /** Removes what lies on the disk. */
  async removeRuns(): Promise<void> {
    await this.#scratch.remove();
  }
}

interface IndexPart {
  readonly gathered: GatheredIndex;
  /** Sorted runs on the disk, in the order in which they were gathered. */
  readonly runs: RunNote[];
}

/** What a step adds to its name when it goes on. */
export function resumedAt(done: number): string {
  return `, resumed at ${done.toLocaleString("en")}`;
}

/** Whether all runs are there as they were written. */
export async function areWholeRuns(storeFolder: string | undefined, { parts }: ReadNote): Promise<boolean> {
  const scratch = new Scratch(storeFolder, "build");
  scratch.resume(0);
  for (const run of parts.flatMap(({ runs }) => runs)) {
    if (storeFolder === undefined || !(await isWholeRun(await scratch.pathOf(run.file), run))) return false;
  }
  return true;
}

/** The portions of a merge behind its first entries, which are written already. */
async function* withoutFirst(entries: number, portions: AsyncIterable<readonly KeyGroup[]>): AsyncGenerator<readonly KeyGroup[]> {
  let left = entries;
  for await (const portion of portions) {
    const rest: KeyGroup[] = [];
    for (const group of portion) {
      const { length } = group.uids;
      const skipped = Math.min(left, length);
      left -= skipped;
      if (skipped < length) rest.push(partOf(group, skipped, length));
    }
    if (rest.length > 0) yield rest;
  }
}

/** Groups with one key as one. */
function joined(portion: readonly KeyGroup[]): readonly KeyGroup[] {
  const all: KeyGroup[] = [];
  for (let i = 0; i < portion.length; ) {
    const { key } = portion[i] ?? { key: 0 };
    const start = i;
    while (portion[i]?.key === key) i++;
    const same = portion.slice(start, i);
    all.push({ key, uids: same.flatMap(({ uids }) => uids), values: same.flatMap(({ values = [] }) => values) });
  }
  return all;
}

function* allOf(first: Iterable<Run>, second: Iterable<Run>): Generator<Run> {
  yield* first;
  yield* second;
}

/** Writes that wait for the disk. */
class Slices {
  readonly #pending: Promise<unknown>[] = [];

  /** @param atMost how many may be in flight when this resolves */
  async add(write: Promise<unknown>, atMost: number): Promise<void> {
    // A failure is thrown when the write is awaited. Until then it must not count as unhandled, which would end the process.
    write.catch(() => undefined);
    this.#pending.push(write);
    while (this.#pending.length >= atMost) await this.#pending.shift();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async settled(): Promise<void> {
    await settled(this.#pending);
  }
}
