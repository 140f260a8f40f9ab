// An ordered index: entries (value, uid) in sorted blocks, and a directory with the first entry of each. Blocks are found by a
// binary search of the directory and read like any other value; nothing here needs a cursor.

import type { ValueKind } from "../../../core/storage.ts";
import { uidText } from "../keyspaces/keys.ts";
import { type EntryView, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";
import { blockEditsCodec } from "./block-edits.ts";
import { endInBlock, entryPosition, isEntry, placeOf } from "./block-search.ts";
import { isFull } from "./full-block.ts";
import { type Block, blockCodec, type Directory, directoryCodec, type Entry, formOf, noBlock, noDirectory } from "./index-blocks.ts";
import { OrderedView } from "./ordered-view.ts";
import type { SortKey } from "./sort-keys.ts";

const directoryKey = 0;

/** Splits a block: the lower half keeps the id. */
interface Cut {
  readonly low: Block;
  readonly highId: number;
  readonly high: Block;
}

export class OrderedIndex {
  readonly directories: Keyspace<number, Directory>;
  readonly blocks: Keyspace<number, Block>;

  constructor(host: KeyspaceHost, prefix: string, kind: ValueKind) {
    const form = formOf(kind);
    this.directories = new Keyspace(host, { prefix: `${prefix}d`, textOf: uidText, codec: directoryCodec(form) });
    const edits = { prefix: `${prefix}e`, codec: blockEditsCodec(form) };
    this.blocks = new Keyspace(host, { prefix: `${prefix}b`, textOf: uidText, codec: blockCodec(form), edits });
  }

  open(view: EntryView): OrderedView {
    const directory = this.directories.read(directoryKey, view) ?? noDirectory;
    return new OrderedView(directory, (id) => this.blocks.readNamed(id, view) ?? noBlock);
  }

  has(key: SortKey, uid: number, view: EntryView): boolean {
    const directory = this.directories.read(directoryKey, view);
    if (directory === undefined) return false;
    const block = this.blocks.readNamed(directory.ids[placeOf(directory, key, uid)] ?? 0, view) ?? noBlock;
    return isEntry(block, entryPosition(block, key, uid), key, uid);
  }

  /** @returns false when the entry existed */
  add(key: SortKey, uid: number, view: EntryView): boolean {
    const directory = this.directories.read(directoryKey, view);
    if (directory === undefined) {
      this.directories.put(directoryKey, { keys: [key], uids: [uid], ids: [1], nextId: 2 });
      this.blocks.put(1, { keys: [key], uids: [uid] });
      return true;
    }
    const place = placeOf(directory, key, uid);
    const id = directory.ids[place] ?? 0;
    const before = this.blocks.readNamed(id, view) ?? noBlock;
    const position = entryPosition(before, key, uid);
    if (isEntry(before, position, key, uid)) return false;
    // Arrays of the exact size: one that grows in place is copied with spare room.
    const block = { keys: before.keys.toSpliced(position, 0, key), uids: before.uids.toSpliced(position, 0, uid) };
    this.blocks.put(id, block);
    if (isFull(block)) this.#split(place, id, block, view);
    return true;
  }

  /** Adds entries in ascending order of key and uid; edits each block once. Existing entries are not added again. */
  addAll(entries: readonly Entry[], view: EntryView): void {
    for (let start = 0; start < entries.length; ) {
      const directory = this.directories.read(directoryKey, view);
      const first = entries[start];
      if (first === undefined) return;
      if (directory === undefined) {
        this.add(first.key, first.uid, view);
        start++;
        continue;
      }
      const place = placeOf(directory, first.key, first.uid);
      const end = endInBlock(directory, place, entries, start);
      this.#addToBlock(place, directory.ids[place] ?? 0, entries.slice(start, end), view);
      start = end;
    }
  }

  #addToBlock(place: number, id: number, entries: readonly Entry[], view: EntryView): void {
    const only = entries[0];
    if (only !== undefined && entries.length === 1) {
      this.add(only.key, only.uid, view);
      return;
    }
    const block = this.blocks.edit(id, view) ?? { keys: [], uids: [] };
    // A damaged block is replaced by an empty one.
    if (block.uids.length === 0) this.blocks.put(id, block);
    let from = 0;
    for (const { key, uid } of entries) {
      const position = entryPosition(block, key, uid, from);
      from = position;
      if (isEntry(block, position, key, uid)) continue;
      block.keys.splice(position, 0, key);
      block.uids.splice(position, 0, uid);
    }
    this.#splitWhileFull(place, id, block, view);
  }

  /** Many entries may overfill a block: splits the upper half first, so that the lower half keeps its position. */
  #splitWhileFull(place: number, id: number, block: Block, view: EntryView): void {
    if (!isFull(block)) return;
    const cut = this.#split(place, id, block, view);
    if (cut === undefined) return;
    this.#splitWhileFull(place + 1, cut.highId, cut.high, view);
    this.#splitWhileFull(place, id, cut.low, view);
  }

  #split(place: number, id: number, block: Block, view: EntryView): Cut | undefined {
    const directory = this.directories.edit(directoryKey, view);
    if (directory === undefined) return undefined;
    const cut = block.uids.length >>> 1;
    const highId = directory.nextId++;
    const low = { keys: block.keys.slice(0, cut), uids: block.uids.slice(0, cut) };
    const high = { keys: block.keys.slice(cut), uids: block.uids.slice(cut) };
    this.blocks.put(id, low);
    this.blocks.put(highId, high);
    directory.keys.splice(place + 1, 0, high.keys[0] ?? 0);
    directory.uids.splice(place + 1, 0, high.uids[0] ?? 0);
    directory.ids.splice(place + 1, 0, highId);
    return { low, highId, high };
  }

  /** @returns false when there was no such entry */
  remove(key: SortKey, uid: number, view: EntryView): boolean {
    const directory = this.directories.read(directoryKey, view);
    if (directory === undefined) return false;
    const place = placeOf(directory, key, uid);
    const id = directory.ids[place] ?? 0;
    const before = this.blocks.readNamed(id, view) ?? noBlock;
    const position = entryPosition(before, key, uid);
    if (!isEntry(before, position, key, uid)) return false;
    if (before.uids.length > 1) {
      this.blocks.put(id, { keys: before.keys.toSpliced(position, 1), uids: before.uids.toSpliced(position, 1) });
    } else {
      this.#drop(place, id, view);
    }
    return true;
  }

  #drop(place: number, id: number, view: EntryView): void {
    this.blocks.put(id, undefined);
    const directory = this.directories.edit(directoryKey, view);
    directory?.keys.splice(place, 1);
    directory?.uids.splice(place, 1);
    directory?.ids.splice(place, 1);
    if (directory?.ids.length === 0) this.directories.put(directoryKey, undefined);
  }

  close(): void {
    this.directories.close();
    this.blocks.close();
  }
}
