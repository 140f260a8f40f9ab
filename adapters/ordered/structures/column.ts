// A column: the values of one field in chunks of 256 uids, as typed arrays. Orders and aggregates use it instead of records.

import type { Value, ValueKind } from "../../../core/storage.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";
import type { EditsCodec } from "../keyspaces/edits.ts";
import { uidText } from "../keyspaces/keys.ts";
import { type EntryView, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";
import { type SortKey, sortKey } from "./sort-keys.ts";

export const columnChunk = 256;

/**
 * `high` alone orders numbers and booleans; int64 and dateTime need `low` as well. Missing values are NaN in `high`. Numbers that fit take half the
 * room: a scattered read is served from memory as long as the chunks of its column are there.
 */
export interface ColumnChunk {
  readonly high: Float64Array | Float32Array;
  readonly low: Float64Array | Uint32Array | undefined;
}

/** A chunk that may be written to: any number fits. */
interface OpenChunk {
  readonly high: Float64Array;
  readonly low: Float64Array | undefined;
}

/** Below 2^32: the low part of an int64. Of a date: nanoseconds. */
const int64Scale = 1n << 32n;
const nanosPerSecond = 1_000_000_000n;

export function chunkOf(uid: number): number {
  return uid < 0x7fff_ffff ? uid >> 8 : Math.floor(uid / columnChunk);
}

const writer = new ByteWriter();

/** `wide`: two numbers for each value. */
interface ChunkShape {
  readonly wide: boolean;
}

/** Precedes a value, or, among edits, stands where there is none any more. */
const entryKinds = { short: 0, double: 1, missing: 2 } as const;

function writeEntry(chunk: ColumnChunk, i: number): void {
  const high = chunk.high[i] ?? Number.NaN;
  const short = Number.isInteger(high) && Math.abs(high) < 2 ** 50;
  writer.byte(i);
  writer.byte(short ? entryKinds.short : entryKinds.double);
  if (short) writer.signed(high);
  else writer.double(high);
  if (chunk.low !== undefined) writer.whole(chunk.low[i] ?? 0);
}

function readEntries(bytes: Uint8Array, chunk: OpenChunk): void {
  const reader = new ByteReader(bytes);
  while (reader.more) {
    const i = reader.byte();
    const kind = reader.byte();
    const isMissing = kind === entryKinds.missing;
    chunk.high[i] = isMissing ? Number.NaN : kind === entryKinds.short ? reader.signed() : reader.double();
    if (chunk.low !== undefined) chunk.low[i] = isMissing ? 0 : reader.whole();
  }
}

function copyOf({ high, low }: ColumnChunk): OpenChunk {
  return { high: new Float64Array(high), low: low && new Float64Array(low) };
}

/** Chunks are read into these, and copied in the form that fits. */
const readHigh = new Float64Array(columnChunk);
const readLow = new Float64Array(columnChunk);

function openChunk({ wide }: ChunkShape): OpenChunk {
  return { high: readHigh, low: wide ? readLow : undefined };
}

/** Most dates and times have no nanoseconds, most int64 are small: those chunks share one array. */
const zeros = new Uint32Array(columnChunk);

function closed({ high, low }: OpenChunk): ColumnChunk {
  return { high: isNarrow(high) ? new Float32Array(high) : high.slice(), low: low && (isZero(low) ? zeros : new Uint32Array(low)) };
}

function isNarrow(high: Float64Array): boolean {
  for (let i = 0; i < columnChunk; i++) {
    const value = high[i] ?? Number.NaN;
    if (Math.fround(value) !== value && !Number.isNaN(value)) return false;
  }
  return true;
}

function isZero(low: Float64Array): boolean {
  for (let i = 0; i < columnChunk; i++) if (low[i] !== 0) return false;
  return true;
}

function codecOf({ wide }: ChunkShape): Codec<ColumnChunk> {
  return {
    encode(chunk) {
      for (let i = 0; i < columnChunk; i++) if (hasValue(chunk, i)) writeEntry(chunk, i);
      return writer.finish();
    },
    decode(bytes) {
      const chunk = openChunk({ wide });
      chunk.high.fill(Number.NaN);
      chunk.low?.fill(0);
      readEntries(bytes, chunk);
      return closed(chunk);
    },
    copy: copyOf,
    weigh: ({ high, low }) => 300 + high.byteLength + (low === undefined || low === zeros ? 0 : low.byteLength),
  };
}

/** Entries take some four bytes, in a chunk and among edits. */
export const maxColumnEdits = 24;

const editsCodec: EditsCodec<ColumnChunk> = {
  encode(whole, chunk) {
    let edits = 0;
    for (let i = 0; i < columnChunk; i++) {
      if (isSame(whole, chunk, i)) continue;
      if (++edits > maxColumnEdits) {
        writer.finish();
        return undefined;
      }
      if (hasValue(chunk, i)) writeEntry(chunk, i);
      else {
        writer.byte(i);
        writer.byte(entryKinds.missing);
      }
    }
    return writer.finish();
  },
  apply(whole, bytes) {
    const chunk = openChunk({ wide: whole.low !== undefined });
    chunk.high.set(whole.high);
    if (whole.low !== undefined) chunk.low?.set(whole.low);
    readEntries(bytes, chunk);
    return closed(chunk);
  },
};

function hasValue({ high }: ColumnChunk, i: number): boolean {
  return !Number.isNaN(high[i] ?? Number.NaN);
}

/** `every` would make an object of each number. */
function isEmpty(chunk: ColumnChunk): boolean {
  for (let i = 0; i < columnChunk; i++) if (hasValue(chunk, i)) return false;
  return true;
}

function isSame(a: ColumnChunk, b: ColumnChunk, i: number): boolean {
  return hasValue(a, i) ? a.high[i] === b.high[i] && a.low?.[i] === b.low?.[i] : !hasValue(b, i);
}

function emptyChunk({ wide }: ChunkShape): OpenChunk {
  return { high: new Float64Array(columnChunk).fill(Number.NaN), low: wide ? new Float64Array(columnChunk) : undefined };
}

export class Column {
  readonly chunks: Keyspace<number, ColumnChunk>;
  readonly kind: ValueKind;
  /** Each value takes two numbers. */
  readonly wide: boolean;
  readonly #empty: ColumnChunk;

  /** @param prefixes of the keys of the chunks, and of the edits of each */
  constructor(host: KeyspaceHost, prefixes: { readonly chunks: string; readonly edits: string }, kind: ValueKind) {
    this.kind = kind;
    this.wide = kind === "int64" || kind === "dateTime";
    this.#empty = emptyChunk(this);
    const edits = { prefix: prefixes.edits, codec: editsCodec };
    this.chunks = new Keyspace(host, { prefix: prefixes.chunks, textOf: uidText, codec: codecOf(this), edits });
  }

  chunk(number: number, view: EntryView): ColumnChunk {
    return this.chunks.read(number, view) ?? this.#empty;
  }

  /** @param value undefined: the node has none */
  set(uid: number, value: Value | undefined, view: EntryView): void {
    const key = value === undefined ? undefined : sortKey(this.kind, value);
    const number = chunkOf(uid);
    const at = uid % columnChunk;
    const before = this.chunks.read(number, view);
    if (key === undefined && (before === undefined || Number.isNaN(before.high[at] ?? Number.NaN))) return;
    let chunk = this.chunks.edit(number, view);
    if (chunk === undefined) {
      chunk = emptyChunk(this);
      this.chunks.put(number, chunk);
    }
    const [high, low] = key === undefined ? [Number.NaN, 0] : this.parts(key);
    chunk.high[at] = high;
    if (chunk.low !== undefined) chunk.low[at] = low;
    if (key === undefined && isEmpty(chunk)) this.chunks.put(number, undefined);
  }

  parts(key: SortKey): readonly [high: number, low: number] {
    if (typeof key === "number") return [key, 0];
    if (typeof key === "string") return [Number.NaN, 0];
    const scale = this.kind === "dateTime" ? nanosPerSecond : int64Scale;
    const low = ((key % scale) + scale) % scale;
    return [Number((key - low) / scale), Number(low)];
  }

  /** The sort key of a uid; undefined where it has no value. */
  keyOf(uid: number, view: EntryView): SortKey | undefined {
    const { high, low } = this.chunk(chunkOf(uid), view);
    const at = uid % columnChunk;
    const first = high[at] ?? Number.NaN;
    if (Number.isNaN(first)) return undefined;
    if (low === undefined) return first;
    return BigInt(first) * (this.kind === "dateTime" ? nanosPerSecond : int64Scale) + BigInt(low[at] ?? 0);
  }

  close(): void {
    this.chunks.close();
  }
}
