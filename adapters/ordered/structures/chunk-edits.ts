// The edits of a chunk of a posting list: the uids that it lost, by position, and those that it gained. The changes that the head of a list held go into many
// chunks, few into each: some bytes are written instead of a chunk of 256 uids.

import { readAscending } from "../keyspaces/ascending-codec.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { EditsCodec } from "../keyspaces/edits.ts";

/** Fewer would write chunks too often, more would write edits that are as long. */
const maxChunkEdits = 16;

interface Changes {
  /** Positions in the whole chunk. */
  readonly lost: number[];
  readonly gained: number[];
}

const writer = new ByteWriter();

export const chunkEditsCodec: EditsCodec<number[]> = {
  encode(whole, chunk) {
    const changes = changesOf(whole, chunk);
    if (changes === undefined) return undefined;
    writer.ascending(changes.lost);
    writer.ascending(changes.gained);
    return writer.finish();
  },
  apply(whole, bytes) {
    const reader = new ByteReader(bytes);
    const lost = readAscending(reader);
    const gained = readAscending(reader);
    reader.end();
    return applied(whole, { lost, gained });
  },
};

/** Undefined: more than a chunk keeps beside it. */
function changesOf(whole: readonly number[], chunk: readonly number[]): Changes | undefined {
  const changes: Changes = { lost: [], gained: [] };
  const { lost, gained } = changes;
  const [most, count] = [whole.length, chunk.length];
  let at = 0;
  let i = 0;
  while (at < most || i < count) {
    const before = at < most ? (whole[at] ?? 0) : Number.MAX_SAFE_INTEGER;
    const now = i < count ? (chunk[i] ?? 0) : Number.MAX_SAFE_INTEGER;
    if (before === now) {
      at++;
      i++;
      continue;
    }
    if (lost.length + gained.length === maxChunkEdits) return undefined;
    if (before < now) lost.push(at++);
    else gained.push(chunk[i++] ?? 0);
  }
  return changes;
}

/** A buffer that is copied at the end: an array that grows keeps spare room. */
const gathered: number[] = [];

function applied(whole: readonly number[], { lost, gained }: Changes): number[] {
  if ((lost.at(-1) ?? -1) >= whole.length) throw new RangeError("edits of another chunk");
  let [count, gone, come] = [0, 0, 0];
  for (let i = 0; i < whole.length; i++) {
    const uid = whole[i] ?? 0;
    for (let next = gained[come]; next !== undefined && next < uid; next = gained[++come]) gathered[count++] = next;
    if (lost[gone] === i) gone++;
    else gathered[count++] = uid;
  }
  while (come < gained.length) gathered[count++] = gained[come++] ?? 0;
  return gathered.slice(0, count);
}
