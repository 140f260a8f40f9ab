// Collects added entries and links, so that each list is read and rewritten once for all of them. Those of a single node share hardly a list: they are
// applied at once, which saves the collections.

import { runAtOnce, type Uid, type Work } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { EntryView } from "../keyspaces/keyspace.ts";
import type { CompoundIndexRuntime, IndexRuntime } from "../layout/layout-runtime.ts";
import { compareEntries } from "../structures/block-search.ts";
import type { Entry } from "../structures/index-blocks.ts";
import type { OrderedIndex } from "../structures/ordered-index.ts";
import type { PostingLists } from "../structures/posting-lists.ts";
import type { NodeRecord } from "../structures/records.ts";
import type { SortKey } from "../structures/sort-keys.ts";
import { addEntry, eachEntry, entryIn } from "./entries.ts";

/** Lists show additions only after `settle`: call it before a read or a removal. */
export class Additions {
  readonly #view: EntryView;
  /** Undefined while nothing is pending: most transactions are of one node. */
  #pending: Pending | undefined;
  #atOnce = false;
  #count = 0;
  #addedEntries = 0;

  constructor(view: EntryView) {
    this.#view = view;
  }

  /** Says whether additions are applied at once from now on. Nothing is pending. */
  begin({ atOnce }: { readonly atOnce: boolean }): void {
    this.#atOnce = atOnce;
  }

  /** How many are pending, at most. */
  get count(): number {
    return this.#count;
  }

  /** Entries of new records since the beginning. */
  get addedEntries(): number {
    return this.#addedEntries;
  }

  /** Adds all entries of a new record. @returns what is left to do where they are many */
  addRecord(index: IndexRuntime, uid: Uid, record: NodeRecord): Work<void> | undefined {
    if (this.#atOnce) {
      return eachEntry(index, record, (key) => {
        if (addEntry(index, key, uid, this.#view)) this.#addedEntries++;
      });
    }
    const pending = this.#gather();
    const gathered = gatheredOf(pending, index);
    pending.uids.add(uid);
    return eachEntry(index, record, (key) => {
      if (!gathered.add(key, uid)) return;
      this.#addedEntries++;
      this.#count++;
    });
  }

  addEntry(index: IndexRuntime, key: SortKey, uid: Uid): void {
    if (this.#atOnce) {
      addEntry(index, key, uid, this.#view);
      return;
    }
    const pending = this.#gather();
    gatheredOf(pending, index).add(key, uid);
    pending.uids.add(uid);
    this.#count++;
  }

  add(lists: PostingLists<number>, key: number, uid: Uid): void {
    if (this.#atOnce) {
      lists.add(key, uid, this.#view);
      return;
    }
    const pending = this.#gather();
    let gathered = pending.lists.get(lists);
    if (gathered === undefined) {
      gathered = new GatheredUids(lists, (same) => same);
      pending.lists.set(lists, gathered);
    }
    gathered.add(key, uid);
    this.#count++;
  }

  /** Whether this node has pending entries. */
  concerns(uid: Uid): boolean {
    return this.#pending?.uids.has(uid) ?? false;
  }

  /** Applies the pending additions of these lists. */
  settleLists(lists: PostingLists<number>): void {
    const gathered = this.#pending?.lists.get(lists);
    if (gathered !== undefined) runAtOnce(gathered.settle(this.#view));
  }

  /** Applies all. What is left when the work is given up is still pending. */
  *settle(): Work<void> {
    if (this.#pending === undefined) return;
    for (const gathered of this.#pending.entries.values()) yield* gathered.settle(this.#view);
    for (const gathered of this.#pending.lists.values()) yield* gathered.settle(this.#view);
    this.#pending.uids.clear();
    this.#count = 0;
  }

  #gather(): Pending {
    this.#pending ??= { entries: new Map(), lists: new Map(), uids: new Set() };
    return this.#pending;
  }
}

interface Pending {
  readonly entries: Map<IndexRuntime, Gathered>;
  readonly lists: Map<PostingLists<number>, GatheredUids<number>>;
  /** Nodes with pending index entries. */
  readonly uids: Set<Uid>;
}

function gatheredOf({ entries }: Pending, index: IndexRuntime): Gathered {
  let gathered = entries.get(index);
  if (gathered === undefined) {
    gathered = gatheringOf(index);
    entries.set(index, gathered);
  }
  return gathered;
}

function gatheringOf(index: IndexRuntime): Gathered {
  if (index.by === "compound") return new GatheredCompounds(index);
  return index.by === "ordered" ? new GatheredEntries(index.entries) : new GatheredTexts(index.lists);
}

interface Gathered {
  /** @returns false when it equals the last addition */
  add(key: SortKey, uid: Uid): boolean;
  settle(view: EntryView): Work<void>;
}

/** Lists that one step changes, and entries that one step adds. */
const stepLists = 32;
const stepEntries = 512;

class GatheredUids<K extends string | number> {
  readonly #lists: PostingLists<K>;
  readonly #nameOf: (key: K) => K;
  readonly #uids = new Map<K, Uid[]>();

  constructor(lists: PostingLists<K>, nameOf: (key: K) => K) {
    this.#lists = lists;
    this.#nameOf = nameOf;
  }

  add(key: K, uid: Uid): boolean {
    const uids = this.#uids.get(key);
    if (uids === undefined) this.#uids.set(key, [uid]);
    else if (uids[uids.length - 1] === uid) return false;
    else uids.push(uid);
    return true;
  }

  *settle(view: EntryView): Work<void> {
    let left = stepLists;
    for (const [key, uids] of this.#uids) {
      this.#lists.addAll(this.#nameOf(key), ascending(uids), view);
      this.#uids.delete(key);
      if (--left > 0) continue;
      left = stepLists;
      yield;
    }
  }
}

/** The stored name of each token is made once. */
class GatheredTexts implements Gathered {
  readonly #uids: GatheredUids<string>;

  constructor(lists: PostingLists<string>) {
    this.#uids = new GatheredUids(lists, boundedText);
  }

  add(key: SortKey, uid: Uid): boolean {
    return this.#uids.add(String(key), uid);
  }

  settle(view: EntryView): Work<void> {
    return this.#uids.settle(view);
  }
}

class GatheredEntries implements Gathered {
  readonly #index: OrderedIndex;
  readonly #entries: Entry[] = [];

  constructor(index: OrderedIndex) {
    this.#index = index;
  }

  add(key: SortKey, uid: Uid): boolean {
    this.#entries.push({ key, uid });
    return true;
  }

  *settle(view: EntryView): Work<void> {
    const sorted = this.#entries.sort(compareEntries);
    while (sorted.length > 0) {
      // The last ones: what is left stays sorted, and in its place.
      this.#index.addAll(sorted.splice(-stepEntries), view);
      yield;
    }
  }
}

class GatheredCompounds implements Gathered {
  readonly #index: CompoundIndexRuntime;
  readonly #valued = new Map<string, Entry[]>();
  readonly #missing: GatheredUids<string>;

  constructor(index: CompoundIndexRuntime) {
    this.#index = index;
    this.#missing = new GatheredUids(index.compound.missing, (list) => list);
  }

  add(text: SortKey, uid: Uid): boolean {
    const { list, key } = entryIn(this.#index, text);
    if (key === undefined) return this.#missing.add(list, uid);
    const entries = this.#valued.get(list);
    if (entries === undefined) this.#valued.set(list, [{ key, uid }]);
    else entries.push({ key, uid });
    return true;
  }

  *settle(view: EntryView): Work<void> {
    let left = stepEntries;
    for (const [list, entries] of this.#valued) {
      const sorted = entries.sort(compareEntries);
      while (sorted.length > 0) {
        const step = sorted.splice(-stepEntries);
        this.#index.compound.addAll(list, step, view);
        left -= step.length;
        if (left > 0) continue;
        left = stepEntries;
        yield;
      }
      this.#valued.delete(list);
    }
    yield* this.#missing.settle(view);
  }
}

/** Sorted and distinct. Additions mostly come in ascending order: then the same array. */
export function ascending(uids: Uid[]): Uid[] {
  for (let i = 1; i < uids.length; i++) if ((uids[i - 1] ?? 0) >= (uids[i] ?? 0)) return [...new Set(uids)].sort((a, b) => a - b);
  return uids;
}
