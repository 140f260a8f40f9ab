// The entries that store an ordered index: blocks of entries, and a directory with the first entry of each.

import type { ValueKind } from "../../../core/storage.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";
import type { SortKey } from "./sort-keys.ts";

export interface Block {
  readonly keys: SortKey[];
  readonly uids: number[];
}

export interface Directory {
  /** The first entry and the id of each block. The first block has no lower bound. */
  readonly keys: SortKey[];
  readonly uids: number[];
  readonly ids: number[];
  nextId: number;
  /** All entries of a short list, which has no blocks. */
  readonly inline?: Block | undefined;
}

export interface Entry {
  readonly key: SortKey;
  readonly uid: number;
}

export type KeyForm = "number" | "bigint" | "text";

export function formOf(kind: ValueKind): KeyForm {
  if (kind === "int64" || kind === "dateTime") return "bigint";
  return kind === "string" || kind === "password" ? "text" : "number";
}

const writer = new ByteWriter();

export function writeKeys(out: ByteWriter, keys: readonly SortKey[]): void {
  for (let i = 0; i < keys.length; i++) writeKey(out, keys[i] ?? 0);
}

export function writeKey(out: ByteWriter, key: SortKey): void {
  if (typeof key === "string") out.text(key);
  else if (typeof key === "bigint") writeBigint(out, key);
  else writeNumber(out, key);
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

export function readKey(reader: ByteReader, form: KeyForm): SortKey {
  if (form === "text") return reader.text();
  if (form === "bigint") return (reader.int64() << 32n) + BigInt(reader.whole());
  return reader.byte() === 0 ? reader.signed() : reader.double();
}

export function readKeys(reader: ByteReader, form: KeyForm, count: number): SortKey[] {
  const keys: SortKey[] = [];
  for (let i = 0; i < count; i++) keys.push(readKey(reader, form));
  // A copy without the spare room of a grown array.
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

export function blockCodec(form: KeyForm): Codec<Block> {
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

export function directoryCodec(form: KeyForm): Codec<Directory> {
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

/** The same for lists that may lie in their directory. */
export function listCodec(form: KeyForm): Codec<Directory> {
  const [blocks, directories] = [blockCodec(form), directoryCodec(form)];
  return {
    encode({ inline, ...directory }) {
      const bytes = inline === undefined ? directories.encode(directory) : blocks.encode(inline);
      return Buffer.concat([inline === undefined ? longList : shortList, bytes]);
    },
    decode(bytes) {
      const rest = bytes.subarray(1);
      return bytes[0] === shortList[0] ? { ...noDirectory, inline: blocks.decode(rest) } : directories.decode(rest);
    },
    copy: ({ inline, ...directory }) => ({ ...directories.copy(directory), inline: inline && blocks.copy(inline) }),
    weigh: ({ inline, ...directory }) => (inline === undefined ? directories.weigh(directory) : blocks.weigh(inline)),
  };
}

const longList = Buffer.of(0);
const shortList = Buffer.of(1);

export const noBlock: Block = { keys: [], uids: [] };
export const noDirectory: Directory = { keys: [], uids: [], ids: [], nextId: 1 };
