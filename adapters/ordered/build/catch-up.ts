// Changes the structures of a build as a writer would have, for a node that changed while nobody maintained them.

import type { Uid, Work } from "../../../core/storage.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import type { IndexRuntime, KeyRuntime, NearestRuntime } from "../layout/layout-runtime.ts";
import type { NodeRecord } from "../structures/records.ts";
import { addEntry, entriesOf, keyTextOf, removeEntry, stepEntries, vectorOf } from "../write/entries.ts";

export interface CatchUpOptions {
  readonly indexes: readonly IndexRuntime[];
  readonly nearest: readonly NearestRuntime[];
  /** Keys of values alone. */
  readonly keys: readonly KeyRuntime[];
  readonly view: EntryView;
  /** Several nodes now hold one text of a key. */
  readonly duplicate: (key: KeyRuntime, text: string) => void;
}

/** Undefined: there was, or is, no node. */
export interface ChangedRecord {
  readonly before: NodeRecord | undefined;
  readonly after: NodeRecord | undefined;
  readonly type: string;
}

export class CatchUp {
  readonly #options: CatchUpOptions;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  *follow(uid: Uid, changed: ChangedRecord): Work<void> {
    const { indexes, nearest, keys, view } = this.#options;
    for (const index of indexes) yield* this.#moveEntries(index, uid, changed);
    for (const key of keys) if (key.types.has(changed.type)) this.#moveKey(key, uid, changed);
    for (const index of nearest) index.graph.set(uid, vectorOf(index, changed.after), view);
  }

  *#moveEntries(index: IndexRuntime, uid: Uid, { before, after }: ChangedRecord): Work<void> {
    const { view } = this.#options;
    const old = yield* entriesOf(index, before);
    const now = yield* entriesOf(index, after);
    let count = 0;
    for (const key of old.keys()) {
      if (!now.has(key)) removeEntry(index, key, uid, view);
      if (++count % stepEntries === 0) yield;
    }
    for (const key of now.keys()) {
      if (!old.has(key)) addEntry(index, key, uid, view);
      if (++count % stepEntries === 0) yield;
    }
    if (index.by === "ordered") index.column?.set(uid, after && index.field.values(after)[0], view);
  }

  #moveKey(key: KeyRuntime, uid: Uid, { before, after }: ChangedRecord): void {
    const { view, duplicate } = this.#options;
    const old = before && keyTextOf(key, before, noLinks);
    const now = after && keyTextOf(key, after, noLinks);
    if (old === now) return;
    if (old !== undefined) key.lists.remove(old, uid, view);
    if (now === undefined) return;
    key.lists.add(now, uid, view);
    if (key.lists.count(now, view) > 1) duplicate(key, now);
  }
}

const noLinks = () => undefined;
