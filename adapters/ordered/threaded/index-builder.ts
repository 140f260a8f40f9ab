// Builds indexes of a load in a thread that reads it along: gathers the entries of nodes as they come, and writes each list and each block once, at the end.

import { runAtOnce, type Uid, type Value } from "../../../core/storage.ts";
import { SortedIndexes } from "../build/sorted-indexes.ts";
import type { Database } from "../database/database.ts";
import { expectNewLists, textListsOf } from "../deploy/load-mode.ts";
import { unseal } from "../keyspaces/checksum.ts";
import { uidFromText } from "../keyspaces/keys.ts";
import type { IndexRuntime } from "../layout/layout-runtime.ts";
import { type Column, columnChunk } from "../structures/column.ts";
import type { NodeRecord } from "../structures/records.ts";

/** Nodes whose entries are gathered between two looks at the memory that they take. */
const nodesAtOnce = 1_000;
/** Values of columns that wait: each write of a chunk writes all of it. */
const heldValues = 32 * columnChunk;

export class IndexBuilder {
  readonly #database: Database;
  readonly #sorted: SortedIndexes;
  readonly #columns: readonly HeldColumn[];
  /** Nodes up to this one are gathered. */
  #last: Uid = 0;
  #nodes = 0;

  constructor(database: Database, indexes: readonly IndexRuntime[]) {
    this.#database = database;
    this.#sorted = new SortedIndexes(database, indexes, { gatheredAtMost: 2 << 20, kept: undefined, purpose: "threaded" });
    this.#columns = indexes.flatMap((index) => (index.by === "ordered" && index.column !== undefined ? [new HeldColumn(index.column, index)] : []));
  }

  /** Nothing of the indexes is in the store yet. */
  async begin(indexes: readonly IndexRuntime[]): Promise<void> {
    await this.#database.write(async () => {
      await expectNewLists(this.#database, textListsOf(indexes, []));
      return { result: undefined, wrote: false };
    });
  }

  /** Gathers the nodes that the store shows now, up to one of them. @param stopped throws when nobody needs the indexes any more */
  async gather(upTo: Uid, stopped: () => void): Promise<void> {
    const { store } = this.#database;
    const { keyspace } = this.#database.schema.nodes.records;
    const view = store.view();
    const cursor = store.cursor({ from: keyspace.keyOf(this.#last + 1), to: `${keyspace.prefix}\u{10ffff}` }, view);
    try {
      for (;;) {
        const entries = await cursor.next(nodesAtOnce);
        stopped();
        if (entries.length === 0) break;
        for (const [key, sealed] of entries) {
          const uid = uidFromText(key.slice(keyspace.prefix.length));
          if (uid > upTo) return;
          this.#add(uid, keyspace.codec.decode(unseal(key, sealed)));
        }
        await this.#sorted.spillIfFull({ place: null, nodes: this.#nodes });
        await this.#writeColumns(heldValues);
      }
    } finally {
      await cursor.close();
      view.close();
    }
  }

  #add(uid: Uid, record: NodeRecord): void {
    runAtOnce(this.#sorted.gather(uid, record));
    for (const column of this.#columns) column.add(uid, record);
    this.#last = uid;
    this.#nodes++;
  }

  /** Writes what is held of columns, if it is so much. */
  async #writeColumns(atLeast: number): Promise<void> {
    const full = this.#columns.filter(({ held }) => held > 0 && held >= atLeast);
    if (full.length === 0) return;
    await this.#database.write(() => {
      for (const column of full) column.write(this.#database);
      return { result: undefined, wrote: true };
    });
  }

  /** @param changed nodes that are left out */
  async write(changed: readonly Uid[]): Promise<void> {
    await this.#writeColumns(1);
    for (const uid of changed) this.#sorted.changed(uid);
    await this.#sorted.write(undefined);
  }

  async end(): Promise<void> {
    await this.#sorted.removeRuns();
  }
}

/** Values of a column that are not written yet. */
class HeldColumn {
  readonly #column: Column;
  readonly #index: IndexRuntime;
  #uids: Uid[] = [];
  #values: Value[] = [];

  constructor(column: Column, index: IndexRuntime) {
    this.#column = column;
    this.#index = index;
  }

  get held(): number {
    return this.#uids.length;
  }

  add(uid: Uid, record: NodeRecord): void {
    const [value] = this.#index.field.values(record);
    if (value === undefined) return;
    this.#uids.push(uid);
    this.#values.push(value);
  }

  write({ writerView }: Database): void {
    for (const [i, uid] of this.#uids.entries()) this.#column.set(uid, this.#values[i], writerView);
    this.#uids = [];
    this.#values = [];
  }
}
