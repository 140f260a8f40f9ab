// The edits of a block of an ordered index: the entries that it lost, by position, and those that it gained, each with the position in front of which it
// stands. A new node writes its entry instead of hundreds.

import { readAscending } from "../keyspaces/ascending-codec.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { EditsCodec } from "../keyspaces/edits.ts";
import { type Block, type KeyForm, readKeys, writeKeys } from "./index-blocks.ts";
import { compareSortKeys, type SortKey } from "./sort-keys.ts";

/** A block of some 400 entries is written once in so many edits: fewer would write blocks, more would write edits too often. */
export const maxBlockEdits = 32;
/** Long texts are written with their block. */
const maxTextUnits = 2_048;

interface Changes {
  /** Positions in the whole block. */
  readonly removed: number[];
  readonly before: number[];
  readonly keys: SortKey[];
  readonly uids: number[];
}

const writer = new ByteWriter();

export function blockEditsCodec(form: KeyForm): EditsCodec<Block> {
  return {
    encode(whole, block) {
      const changes = changesOf(whole, block);
      if (changes === undefined || unitsOf(changes.keys) > maxTextUnits) return undefined;
      writer.ascending(changes.removed);
      writer.ascending(changes.before);
      writeKeys(writer, changes.keys);
      writer.wholes(changes.uids);
      return writer.finish();
    },
    apply(whole, bytes) {
      const reader = new ByteReader(bytes);
      const removed = readAscending(reader);
      const before = readAscending(reader);
      const keys = readKeys(reader, form, before.length);
      const uids = reader.wholes(before.length);
      reader.end();
      return applied(whole, { removed, before, keys, uids });
    },
  };
}

/** Undefined: more than a block keeps beside it. */
function changesOf(whole: Block, block: Block): Changes | undefined {
  const changes: Changes = { removed: [], before: [], keys: [], uids: [] };
  const [most, count] = [whole.uids.length, block.uids.length];
  if (Math.abs(most - count) > maxBlockEdits) return undefined;
  // Loops without arrays of two: they run over every entry of a block.
  let at = 0;
  while (at < most && at < count && block.uids[at] === whole.uids[at] && block.keys[at] === whole.keys[at]) at++;
  for (let i = at; at < most || i < count; ) {
    const order = compareAt(whole, at, block, i);
    if (order < 0) changes.removed.push(at);
    if (order > 0) {
      changes.before.push(at);
      changes.keys.push(block.keys[i] ?? 0);
      changes.uids.push(block.uids[i] ?? 0);
    }
    if (order <= 0) at++;
    if (order >= 0) i++;
    if (changes.removed.length + changes.before.length > maxBlockEdits) return undefined;
  }
  return changes;
}

/** Nothing stands behind every entry. */
function compareAt(a: Block, i: number, b: Block, j: number): number {
  if (i === a.uids.length) return 1;
  if (j === b.uids.length) return -1;
  const key = a.keys[i] ?? 0;
  const other = b.keys[j] ?? 0;
  const uid = a.uids[i] ?? 0;
  const otherUid = b.uids[j] ?? 0;
  // Most entries are the same.
  return uid === otherUid && key === other ? 0 : compareSortKeys(key, other) || uid - otherUid;
}

function applied(whole: Block, { removed, before, keys, uids }: Changes): Block {
  const size = whole.uids.length;
  const length = size + before.length - removed.length;
  if ((removed.at(-1) ?? 0) > size || (before.at(-1) ?? 0) > size || length < 0) throw new RangeError("edits of another block");
  const block: Block = { keys: [], uids: [] };
  let [lost, gained] = [0, 0];
  for (let at = 0; at <= size; at++) {
    for (; before[gained] === at; gained++) push(block, keys[gained], uids[gained]);
    if (removed[lost] === at) lost++;
    else if (at < size) push(block, whole.keys[at], whole.uids[at]);
  }
  // Copies without the spare room of grown arrays.
  return { keys: block.keys.slice(), uids: block.uids.slice() };
}

function push(block: Block, key: SortKey | undefined, uid: number | undefined): void {
  block.keys.push(key ?? 0);
  block.uids.push(uid ?? 0);
}

function unitsOf(keys: readonly SortKey[]): number {
  let units = 0;
  for (const key of keys) if (typeof key === "string") units += key.length;
  return units;
}
