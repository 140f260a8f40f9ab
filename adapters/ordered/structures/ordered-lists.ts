// Ordered lists: under each key entries (value, uid) in sorted blocks, and a directory with the first entry of each block. Blocks are found by a binary
// search of the directory and read like any other value; nothing here needs a cursor. A short list may lie in its directory.

import type { ValueKind } from "../../../core/storage.ts";
import type { Codec } from "../keyspaces/codec.ts";
import { type EntryKey, type EntryView, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";
import { blockEditsCodec } from "./block-edits.ts";
import { endInBlock, entryPosition, isEntry, placeOf } from "./block-search.ts";
import { isFull } from "./full-block.ts";
import { type Block, blockCodec, type Directory, type Entry, formOf, type KeyForm, noBlock, noDirectory } from "./index-blocks.ts";
import { OrderedView } from "./ordered-view.ts";

/** Splits a block: the lower half keeps the id. */
interface Cut {
  readonly low: Block;
  readonly highId: number;
  readonly high: Block;
}

/** @typeParam K the key of a list @typeParam B the key of one of its blocks */
export interface OrderedListsOptions<K, B> {
  readonly prefix: string;
  /** Of the values. */
  readonly kind: ValueKind;
  readonly textOf: (list: K) => string;
  readonly blockOf: (list: K, id: number) => B;
  readonly blockTextOf: (block: B) => string;
  readonly directoryCodec: (form: KeyForm) => Codec<Directory>;
  /** The most entries of a list without blocks of its own. */
  readonly inlineSize: number;
}

/** The directory of a list that lies in it as its only block. */
const onlyBlock: Directory = { keys: [0], uids: [0], ids: [1], nextId: 2 };

export class OrderedLists<K extends EntryKey, B extends EntryKey> {
  readonly directories: Keyspace<K, Directory>;
  readonly blocks: Keyspace<B, Block>;
  readonly #blockOf: (list: K, id: number) => B;
  readonly #inlineSize: number;

  constructor(host: KeyspaceHost, { prefix, kind, textOf, blockOf, blockTextOf, directoryCodec, inlineSize }: OrderedListsOptions<K, B>) {
    const form = formOf(kind);
    this.#blockOf = blockOf;
    this.#inlineSize = inlineSize;
    this.directories = new Keyspace(host, { prefix: `${prefix}d`, textOf, codec: directoryCodec(form) });
    const edits = { prefix: `${prefix}e`, codec: blockEditsCodec(form) };
    this.blocks = new Keyspace(host, { prefix: `${prefix}b`, textOf: blockTextOf, codec: blockCodec(form), edits });
  }

  open(list: K, view: EntryView): OrderedView {
    const directory = this.directories.read(list, view) ?? noDirectory;
    const { inline } = directory;
    return inline === undefined ? new OrderedView(directory, (id) => this.#block(list, id, view)) : new OrderedView(onlyBlock, () => inline);
  }

  #block(list: K, id: number, view: EntryView): Block {
    return this.blocks.readNamed(this.#blockOf(list, id), view) ?? noBlock;
  }

  has(list: K, { key, uid }: Entry, view: EntryView): boolean {
    const directory = this.directories.read(list, view);
    if (directory === undefined) return false;
    const block = directory.inline ?? this.#block(list, directory.ids[placeOf(directory, key, uid)] ?? 0, view);
    return isEntry(block, entryPosition(block, key, uid), key, uid);
  }

  /** @returns false when the entry existed */
  add(list: K, { key, uid }: Entry, view: EntryView): boolean {
    const directory = this.directories.read(list, view);
    if (directory === undefined) {
      this.#begin(list, { keys: [key], uids: [uid] });
      return true;
    }
    const place = placeOf(directory, key, uid);
    const id = directory.ids[place] ?? 0;
    const before = directory.inline ?? this.#block(list, id, view);
    const position = entryPosition(before, key, uid);
    if (isEntry(before, position, key, uid)) return false;
    // Arrays of the exact size: one that grows in place is copied with spare room.
    const block = { keys: before.keys.toSpliced(position, 0, key), uids: before.uids.toSpliced(position, 0, uid) };
    if (directory.inline === undefined) this.#put(list, { place, id, block }, view);
    else this.#putWhole(list, block, view);
    return true;
  }

  #put(list: K, { place, id, block }: Placed, view: EntryView): void {
    this.blocks.put(this.#blockOf(list, id), block);
    if (isFull(block)) this.#split(list, { place, id, block }, view);
  }

  /** A list of one block. */
  #begin(list: K, block: Block): void {
    const fits = block.uids.length <= this.#inlineSize && !isFull(block);
    if (fits) this.directories.put(list, { ...noDirectory, inline: block });
    else {
      this.directories.put(list, { keys: [block.keys[0] ?? 0], uids: [block.uids[0] ?? 0], ids: [1], nextId: 2 });
      this.blocks.put(this.#blockOf(list, 1), block);
    }
  }

  /** Puts a list that was empty or lay in its directory. */
  #putWhole(list: K, block: Block, view: EntryView): void {
    this.#begin(list, block);
    this.#splitWhileFull(list, { place: 0, id: 1, block }, view);
  }

  /** Adds entries in ascending order of key and uid; edits each block once. Existing entries are not added again. */
  addAll(list: K, entries: readonly Entry[], view: EntryView): void {
    const before = this.directories.read(list, view);
    if (before?.inline !== undefined || (before === undefined && this.#inlineSize > 0)) {
      this.#putWhole(list, withEntries(copied(before?.inline ?? noBlock), entries), view);
      return;
    }
    for (let start = 0; start < entries.length; ) {
      const directory = this.directories.read(list, view);
      const first = entries[start];
      if (first === undefined) return;
      if (directory === undefined) {
        this.add(list, first, view);
        start++;
        continue;
      }
      const place = placeOf(directory, first.key, first.uid);
      const end = endInBlock(directory, place, entries, start);
      this.#addToBlock(list, { place, id: directory.ids[place] ?? 0, entries: entries.slice(start, end) }, view);
      start = end;
    }
  }

  #addToBlock(list: K, { place, id, entries }: Addition, view: EntryView): void {
    const only = entries[0];
    if (only !== undefined && entries.length === 1) {
      this.add(list, only, view);
      return;
    }
    const key = this.#blockOf(list, id);
    const block = this.blocks.edit(key, view) ?? { keys: [], uids: [] };
    // A damaged block is replaced by an empty one.
    if (block.uids.length === 0) this.blocks.put(key, block);
    this.#splitWhileFull(list, { place, id, block: withEntries(block, entries) }, view);
  }

  /** Many entries may overfill a block: splits the upper half first, so that the lower half keeps its position. */
  #splitWhileFull(list: K, placed: Placed, view: EntryView): void {
    if (!isFull(placed.block)) return;
    const cut = this.#split(list, placed, view);
    if (cut === undefined) return;
    const { place, id } = placed;
    this.#splitWhileFull(list, { place: place + 1, id: cut.highId, block: cut.high }, view);
    this.#splitWhileFull(list, { place, id, block: cut.low }, view);
  }

  #split(list: K, { place, id, block }: Placed, view: EntryView): Cut | undefined {
    const directory = this.directories.edit(list, view);
    if (directory === undefined) return undefined;
    const cut = block.uids.length >>> 1;
    const highId = directory.nextId++;
    const low = { keys: block.keys.slice(0, cut), uids: block.uids.slice(0, cut) };
    const high = { keys: block.keys.slice(cut), uids: block.uids.slice(cut) };
    this.blocks.put(this.#blockOf(list, id), low);
    this.blocks.put(this.#blockOf(list, highId), high);
    directory.keys.splice(place + 1, 0, high.keys[0] ?? 0);
    directory.uids.splice(place + 1, 0, high.uids[0] ?? 0);
    directory.ids.splice(place + 1, 0, highId);
    return { low, highId, high };
  }

  /** @returns false when there was no such entry */
  remove(list: K, { key, uid }: Entry, view: EntryView): boolean {
    const directory = this.directories.read(list, view);
    if (directory === undefined) return false;
    const place = placeOf(directory, key, uid);
    const id = directory.ids[place] ?? 0;
    const before = directory.inline ?? this.#block(list, id, view);
    const position = entryPosition(before, key, uid);
    if (!isEntry(before, position, key, uid)) return false;
    const block = { keys: before.keys.toSpliced(position, 1), uids: before.uids.toSpliced(position, 1) };
    if (block.uids.length === 0) this.#drop(list, { place, id }, view);
    else if (directory.inline === undefined) this.blocks.put(this.#blockOf(list, id), block);
    else this.directories.put(list, { ...noDirectory, inline: block });
    return true;
  }

  #drop(list: K, { place, id }: Omit<Placed, "block">, view: EntryView): void {
    const directory = this.directories.edit(list, view);
    if (directory?.inline === undefined) this.blocks.put(this.#blockOf(list, id), undefined);
    directory?.keys.splice(place, 1);
    directory?.uids.splice(place, 1);
    directory?.ids.splice(place, 1);
    if (directory?.ids.length === 0) this.directories.put(list, undefined);
  }

  close(): void {
    this.directories.close();
    this.blocks.close();
  }
}

/** A block and its place in the directory. */
interface Placed {
  readonly place: number;
  readonly id: number;
  readonly block: Block;
}

interface Addition extends Omit<Placed, "block"> {
  readonly entries: readonly Entry[];
}

function copied({ keys, uids }: Block): Block {
  return { keys: keys.slice(), uids: uids.slice() };
}

/** Adds ascending entries to a block in its place. */
function withEntries(block: Block, entries: readonly Entry[]): Block {
  let from = 0;
  for (const { key, uid } of entries) {
    const position = entryPosition(block, key, uid, from);
    from = position;
    if (isEntry(block, position, key, uid)) continue;
    block.keys.splice(position, 0, key);
    block.uids.splice(position, 0, uid);
  }
  return block;
}
