// A sorted run on the disk: groups of entries by ascending key, in blocks that each begin with their length.

import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { readAscending } from "../keyspaces/ascending-codec.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import { type KeyForm, readKey, readKeys, writeKey, writeKeys } from "../structures/index-blocks.ts";
import type { KeyGroup, Run } from "./key-group.ts";

const lengthBytes = 4;
const checkedAtOnce = 1 << 20;

const writer = new ByteWriter();

/** By which a file is known again. */
export interface RunSeal {
  readonly bytes: number;
  readonly checksum: number;
}

/** @param options `isKept`: the file is on the disk when this resolves, whatever becomes of the process or the machine */
export async function writeRun(path: string, run: Run, { isKept }: { readonly isKept: boolean }): Promise<RunSeal> {
  const file = await open(path, "w");
  let bytes = 0;
  let checksum = 0;
  try {
    for await (const groups of run) {
      const block = blockOf(groups);
      await file.write(block);
      bytes += block.length;
      checksum = crc32(block, checksum);
    }
    if (isKept) await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, checksum };
}

/** Whether the file is there as it was written. */
export async function isWholeRun(path: string, { bytes, checksum }: RunSeal): Promise<boolean> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return false;
  try {
    let read = 0;
    let found = 0;
    for (;;) {
      const part = await readBytes(file, checkedAtOnce);
      if (part.length === 0) return read === bytes && found === checksum;
      read += part.length;
      found = crc32(part, found);
    }
  } finally {
    await file.close();
  }
}

function blockOf(groups: readonly KeyGroup[]): Buffer {
  writer.whole(groups.length);
  for (const { key, uids, values } of groups) {
    writeKey(writer, key);
    // Without values the uids ascend.
    writer.byte(values === undefined ? 0 : 1);
    if (values === undefined) writer.ascending(uids);
    else writeValued(uids, values);
  }
  const bytes = writer.finish();
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function writeValued(uids: readonly number[], values: readonly number[]): void {
  writer.whole(uids.length);
  writer.wholes(uids);
  writeKeys(writer, values);
}

/** The groups of a run, a block at a time. */
export async function* readRun(path: string, form: KeyForm): AsyncGenerator<readonly KeyGroup[]> {
  const file = await open(path, "r");
  try {
    for (;;) {
      const length = await readBytes(file, lengthBytes);
      if (length.length < lengthBytes) return;
      yield groupsIn(await readBytes(file, length.readUInt32LE()), form);
    }
  } finally {
    await file.close();
  }
}

async function readBytes(file: FileHandle, count: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(count), 0, count);
  return buffer.subarray(0, bytesRead);
}

function groupsIn(bytes: Buffer, form: KeyForm): KeyGroup[] {
  const reader = new ByteReader(bytes);
  const groups: KeyGroup[] = [];
  for (let left = reader.whole(); left > 0; left--) groups.push(readGroup(reader, form));
  reader.end();
  return groups;
}

function readGroup(reader: ByteReader, form: KeyForm): KeyGroup {
  const key = readKey(reader, form);
  if (reader.byte() === 0) return { key, uids: readAscending(reader) };
  const count = reader.whole();
  return { key, uids: reader.wholes(count), values: readKeys(reader, "number", count).map(Number) };
}
