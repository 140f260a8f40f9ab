// An ordered index: the entries of one field, (value, uid), as one ordered list.

import type { ValueKind } from "../../../core/storage.ts";
import { uidText } from "../keyspaces/keys.ts";
import type { EntryView, KeyspaceHost } from "../keyspaces/keyspace.ts";
import { directoryCodec, type Entry } from "./index-blocks.ts";
import { OrderedLists } from "./ordered-lists.ts";
import type { OrderedView } from "./ordered-view.ts";
import type { SortKey } from "./sort-keys.ts";

/** The key of the list. */
const all = 0;

export class OrderedIndex {
  readonly #lists: OrderedLists<number, number>;

  constructor(host: KeyspaceHost, prefix: string, kind: ValueKind) {
    const blockOf = (_: number, id: number) => id;
    this.#lists = new OrderedLists(host, { prefix, kind, textOf: uidText, blockOf, blockTextOf: uidText, directoryCodec, inlineSize: 0 });
  }

  open(view: EntryView): OrderedView {
    return this.#lists.open(all, view);
  }

  has(key: SortKey, uid: number, view: EntryView): boolean {
    return this.#lists.has(all, { key, uid }, view);
  }

  /** @returns false when the entry existed */
  add(key: SortKey, uid: number, view: EntryView): boolean {
    return this.#lists.add(all, { key, uid }, view);
  }

  /** Adds entries in ascending order of key and uid; edits each block once. Existing entries are not added again. */
  addAll(entries: readonly Entry[], view: EntryView): void {
    this.#lists.addAll(all, entries, view);
  }

  /** @returns false when there was no such entry */
  remove(key: SortKey, uid: number, view: EntryView): boolean {
    return this.#lists.remove(all, { key, uid }, view);
  }

  close(): void {
    this.#lists.close();
  }
}
