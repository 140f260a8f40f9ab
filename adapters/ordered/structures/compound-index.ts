// A compound index: for each combination of values of its leading fields a list of the nodes that have it, in the order of its last field. Nodes without a
// value of that field lie in a list beside it.

import type { ValueKind } from "../../../core/storage.ts";
import { uidText } from "../keyspaces/keys.ts";
import type { EntryView, KeyspaceHost } from "../keyspaces/keyspace.ts";
import { type Entry, listCodec } from "./index-blocks.ts";
import { OrderedLists } from "./ordered-lists.ts";
import { PostingLists } from "./posting-lists.ts";
import type { SortKey } from "./sort-keys.ts";

/** Short lists lie in one entry: one read for a group of as many nodes. */
const inlineSize = 256;

/** Where a node is in a compound index. */
export interface CompoundEntry {
  /** The leading values, as a bounded text. */
  readonly list: string;
  /** Undefined: the node has no value of the last field. */
  readonly key: SortKey | undefined;
}

export class CompoundIndex {
  /** Nodes with a value of the last field. */
  readonly valued: OrderedLists<string, string>;
  /** Nodes without one. */
  readonly missing: PostingLists<string>;

  constructor(host: KeyspaceHost, prefix: string, kind: ValueKind) {
    const textOf = (text: string) => text;
    const blockOf = (list: string, id: number) => `${list}\0${uidText(id)}`;
    this.valued = new OrderedLists(host, {
      prefix: `${prefix}g`,
      kind,
      textOf,
      blockOf,
      blockTextOf: textOf,
      directoryCodec: listCodec,
      inlineSize,
    });
    this.missing = new PostingLists(host, { prefix: `${prefix}m`, textOf });
  }

  has({ list, key }: CompoundEntry, uid: number, view: EntryView): boolean {
    return key === undefined ? this.missing.has(list, uid, view) : this.valued.has(list, { key, uid }, view);
  }

  /** @returns false when the entry existed */
  add({ list, key }: CompoundEntry, uid: number, view: EntryView): boolean {
    return key === undefined ? this.missing.add(list, uid, view) : this.valued.add(list, { key, uid }, view);
  }

  /** Adds entries of one list in ascending order of key and uid. Existing entries are not added again. */
  addAll(list: string, entries: readonly Entry[], view: EntryView): void {
    this.valued.addAll(list, entries, view);
  }

  /** @returns false when there was no such entry */
  remove({ list, key }: CompoundEntry, uid: number, view: EntryView): boolean {
    return key === undefined ? this.missing.remove(list, uid, view) : this.valued.remove(list, { key, uid }, view);
  }

  close(): void {
    this.valued.close();
    this.missing.close();
  }
}
