// An ordered index: entries (value, uid) in sorted blocks, and a directory with the first entry of each. Blocks are found by a
// binary search of the directory and read like any cell; nothing here needs an iterator.

import type { ValueKind } from "../../../core/index.ts";
import { ByteReader, ByteWriter } from "../cells/bytes.ts";
import type { Codec } from "../cells/codec.ts";
import { type CellHost, type CellView, Family } from "../cells/family.ts";
import { uidText } from "../cells/keys.ts";
import { compareSortKeys, type SortKey } from "./sort-keys.ts";

const maxEntries = 512;
/** Blocks of long texts are cut earlier. */
const maxTextUnits = 1 << 15;

interface Block {
  readonly keys: SortKey[];
  readonly uids: number[];
}

interface Directory {
  /** First entry and name of each block; the first block begins below everything. */
  readonly keys: SortKey[];
  readonly uids: number[];
  readonly ids: number[];
  nextId: number;
}

export interface Entry {
  readonly key: SortKey;
  readonly uid: number;
}

/** A block in two: the lower half keeps its id. */
interface Cut {
  readonly low: Block;
  readonly highId: number;
  readonly high: Block;
}

/** Before the entry `index` of block `block`. */
export interface Position {
  readonly block: number;
  readonly index: number;
}

type KeyForm = "number" | "bigint" | "text";

function formOf(kind: ValueKind): KeyForm {
  if (kind === "int64" || kind === "dateTime") return "bigint";
  return kind === "string" || kind === "password" ? "text" : "number";
}

const writer = new ByteWriter();

function writeKeys(out: ByteWriter, keys: readonly SortKey[]): void {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? 0;
    if (typeof key === "string") out.text(key);
    else if (typeof key === "bigint") writeBigint(out, key);
    else writeNumber(out, key);
  }
}

function writeNumber(out: ByteWriter, key: number): void {
  const short = Number.isInteger(key) && Math.abs(key) < 0x8000_0000;
  out.byte(short ? 0 : 1);
  if (short) out.signed(key);
  else out.double(key);
}

/** Nanoseconds of the years 0 to 9999 need 69 bits. */
function writeBigint(out: ByteWriter, key: bigint): void {
  out.int64(key >> 32n);
  out.whole(Number(key & 0xffff_ffffn));
}

function readKey(reader: ByteReader, form: KeyForm): SortKey {
  if (form === "text") return reader.text();
  if (form === "bigint") return (reader.int64() << 32n) + BigInt(reader.whole());
  return reader.byte() === 0 ? reader.signed() : reader.double();
}

function readKeys(reader: ByteReader, form: KeyForm, count: number): SortKey[] {
  const keys: SortKey[] = [];
  for (let i = 0; i < count; i++) keys.push(readKey(reader, form));
  // Without the room that it grew for.
  return keys.slice();
}

function weighKeys(keys: readonly SortKey[]): number {
  let bytes = 32 + keys.length * 8;
  if (typeof keys[0] === "number") return bytes;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    bytes += typeof key === "string" ? 24 + key.length : 32;
  }
  return bytes;
}

function blockCodec(form: KeyForm): Codec<Block> {
  return {
    encode(block) {
      writer.whole(block.uids.length);
      writeKeys(writer, block.keys);
      writer.wholes(block.uids);
      return writer.finish();
    },
    decode(bytes) {
      const reader = new ByteReader(bytes);
      const count = reader.whole();
      const keys = readKeys(reader, form, count);
      const uids = reader.wholes(count);
      reader.end();
      return { keys, uids };
    },
    copy: (block) => ({ keys: block.keys.slice(), uids: block.uids.slice() }),
    weigh: (block) => weighKeys(block.keys) + block.uids.length * 8,
  };
}

function directoryCodec(form: KeyForm): Codec<Directory> {
  return {
    encode(directory) {
      writer.whole(directory.nextId);
      writer.whole(directory.ids.length);
      writeKeys(writer, directory.keys);
      writer.wholes(directory.uids);
      writer.wholes(directory.ids);
      return writer.finish();
    },
    decode(bytes) {
      const reader = new ByteReader(bytes);
      const nextId = reader.whole();
      const count = reader.whole();
      const keys = readKeys(reader, form, count);
      const uids = reader.wholes(count);
      const ids = reader.wholes(count);
      reader.end();
      return { keys, uids, ids, nextId };
    },
    copy: (directory) => ({ keys: directory.keys.slice(), uids: directory.uids.slice(), ids: directory.ids.slice(), nextId: directory.nextId }),
    weigh: (directory) => weighKeys(directory.keys) + directory.ids.length * 16,
  };
}

const directoryKey = 0;
const noBlock: Block = { keys: [], uids: [] };
const noDirectory: Directory = { keys: [], uids: [], ids: [], nextId: 1 };

/** An ordered index as one view shows it. */
export class OrderedView {
  readonly #directory: Directory;
  readonly #blockOf: (id: number) => Block;

  constructor(directory: Directory, blockOf: (id: number) => Block) {
    this.#directory = directory;
    this.#blockOf = blockOf;
  }

  get blockCount(): number {
    return this.#directory.ids.length;
  }

  block(i: number): Block {
    const id = this.#directory.ids[i];
    return id === undefined ? noBlock : this.#blockOf(id);
  }

  /** The position of the first entry that is not below (`key`, `uid`). */
  lowerBound(key: SortKey, uid: number): Position {
    const block = placeOf(this.#directory, key, uid);
    const index = entryPosition(this.block(block), key, uid);
    return { block, index };
  }

  start(): Position {
    return { block: 0, index: 0 };
  }

  end(): Position {
    return { block: this.blockCount, index: 0 };
  }

  /** Entries from `from` up to before `to`, exact within few blocks, else by the average block. */
  estimate(from: Position, to: Position): number {
    if (to.block < from.block) return 0;
    if (to.block === from.block) return Math.max(0, to.index - from.index);
    const first = this.block(from.block).uids.length - from.index;
    return first + to.index + Math.max(0, to.block - from.block - 1) * (maxEntries * 0.75);
  }

  /** Calls `visit` with each entry from `from` up to before `to`, until it returns false. */
  forward(from: Position, to: Position, visit: (uid: number, key: SortKey) => boolean): void {
    for (let b = from.block; b <= to.block && b < this.blockCount; b++) {
      const block = this.block(b);
      const last = b === to.block ? to.index : block.uids.length;
      for (let i = b === from.block ? from.index : 0; i < last; i++) {
        if (!visit(block.uids[i] ?? 0, block.keys[i] ?? 0)) return;
      }
    }
  }

  entryAt(position: Position): Entry | undefined {
    let { block, index } = position;
    while (block < this.blockCount && index >= this.block(block).uids.length) {
      block++;
      index = 0;
    }
    const { keys, uids } = this.block(block);
    const key = keys[index];
    return key === undefined ? undefined : { key, uid: uids[index] ?? 0 };
  }
}

function comparePlace(key: SortKey, uid: number, otherKey: SortKey, otherUid: number): number {
  return compareSortKeys(key, otherKey) || uid - otherUid;
}

/** Up to where `entries`, from `start` on, belong into the block at `place`. */
function endInBlock(directory: Directory, place: number, entries: readonly Entry[], start: number): number {
  const nextKey = directory.keys[place + 1];
  if (nextKey === undefined) return entries.length;
  const nextUid = directory.uids[place + 1] ?? 0;
  let end = start + 1;
  for (; end < entries.length; end++) {
    const entry = entries[end];
    if (entry === undefined || comparePlace(entry.key, entry.uid, nextKey, nextUid) >= 0) break;
  }
  return end;
}

export function compareEntries(a: Entry, b: Entry): number {
  return comparePlace(a.key, a.uid, b.key, b.uid);
}

/** The block in which an entry is or would be. */
function placeOf(directory: Directory, key: SortKey, uid: number): number {
  let low = 1;
  let high = directory.ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePlace(directory.keys[middle] ?? 0, directory.uids[middle] ?? 0, key, uid) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function entryPosition(block: Block, key: SortKey, uid: number, from = 0): number {
  let low = from;
  let high = block.uids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePlace(block.keys[middle] ?? 0, block.uids[middle] ?? 0, key, uid) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class OrderedIndex {
  readonly directories: Family<number, Directory>;
  readonly blocks: Family<number, Block>;

  constructor(host: CellHost, prefix: string, kind: ValueKind) {
    const form = formOf(kind);
    this.directories = new Family(host, { prefix: `${prefix}d`, textOf: uidText, codec: directoryCodec(form) });
    this.blocks = new Family(host, { prefix: `${prefix}b`, textOf: uidText, codec: blockCodec(form) });
  }

  open(view: CellView): OrderedView {
    const directory = this.directories.read(directoryKey, view) ?? noDirectory;
    return new OrderedView(directory, (id) => this.blocks.read(id, view) ?? noBlock);
  }

  has(key: SortKey, uid: number, view: CellView): boolean {
    const directory = this.directories.read(directoryKey, view);
    if (directory === undefined) return false;
    const block = this.blocks.read(directory.ids[placeOf(directory, key, uid)] ?? 0, view) ?? noBlock;
    return isEntry(block, entryPosition(block, key, uid), key, uid);
  }

  /** @returns false when it was there */
  add(key: SortKey, uid: number, view: CellView): boolean {
    const directory = this.directories.read(directoryKey, view);
    if (directory === undefined) {
      this.directories.put(directoryKey, { keys: [key], uids: [uid], ids: [1], nextId: 2 });
      this.blocks.put(1, { keys: [key], uids: [uid] });
      return true;
    }
    const place = placeOf(directory, key, uid);
    const id = directory.ids[place] ?? 0;
    const before = this.blocks.read(id, view) ?? noBlock;
    const position = entryPosition(before, key, uid);
    if (isEntry(before, position, key, uid)) return false;
    // A block that damage took is begun anew.
    const block = this.blocks.edit(id, view) ?? { keys: [], uids: [] };
    if (before === noBlock) this.blocks.put(id, block);
    block.keys.splice(position, 0, key);
    block.uids.splice(position, 0, uid);
    if (isFull(block)) this.#split(place, id, block, view);
    return true;
  }

  /** Adds entries that ascend by key and uid, editing each block once. Those that are there already stay once. */
  addAll(entries: readonly Entry[], view: CellView): void {
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

  #addToBlock(place: number, id: number, entries: readonly Entry[], view: CellView): void {
    const block = this.blocks.edit(id, view) ?? { keys: [], uids: [] };
    // A block that damage took is begun anew.
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

  /** Many entries at once may fill a block several times over: its upper half is split first, so that the lower keeps its place. */
  #splitWhileFull(place: number, id: number, block: Block, view: CellView): void {
    if (!isFull(block)) return;
    const cut = this.#split(place, id, block, view);
    if (cut === undefined) return;
    this.#splitWhileFull(place + 1, cut.highId, cut.high, view);
    this.#splitWhileFull(place, id, cut.low, view);
  }

  #split(place: number, id: number, block: Block, view: CellView): Cut | undefined {
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

  /** @returns false when it was not there */
  remove(key: SortKey, uid: number, view: CellView): boolean {
    const directory = this.directories.read(directoryKey, view);
    if (directory === undefined) return false;
    const place = placeOf(directory, key, uid);
    const id = directory.ids[place] ?? 0;
    const before = this.blocks.read(id, view) ?? noBlock;
    const position = entryPosition(before, key, uid);
    if (!isEntry(before, position, key, uid)) return false;
    if (before.uids.length > 1) {
      const block = this.blocks.edit(id, view);
      block?.keys.splice(position, 1);
      block?.uids.splice(position, 1);
    } else {
      this.#drop(place, id, view);
    }
    return true;
  }

  #drop(place: number, id: number, view: CellView): void {
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

function isEntry(block: Block, position: number, key: SortKey, uid: number): boolean {
  const found = block.keys[position];
  return found !== undefined && block.uids[position] === uid && compareSortKeys(found, key) === 0;
}

function isFull(block: Block): boolean {
  if (block.uids.length > maxEntries) return true;
  if (typeof block.keys[0] !== "string" || block.keys.length < 2) return false;
  let units = 0;
  for (const key of block.keys) if (typeof key === "string") units += key.length;
  return units > maxTextUnits;
}
