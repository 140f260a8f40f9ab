// A column: the values of one field in chunks of 256 uids, as typed arrays. Orders and aggregates use it instead of records.

import type { Value, ValueKind } from "../../../core/storage.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";
import type { EditsCodec } from "../keyspaces/edits.ts";
import { uidText } from "../keyspaces/keys.ts";
import { type EntryView, Keyspace, type KeyspaceHost } from "../keyspaces/keyspace.ts";
import { type SortKey, sortKey } from "./sort-keys.ts";

export const columnChunk = 256;

/** `high` alone orders numbers and booleans; int64 and dateTime need `low` as well. Missing values are NaN in `high`. */
export interface ColumnCells {
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
interface CellShape {
  readonly wide: boolean;
}

/** Precedes a value, or, among edits, stands where there is none any more. */
const cellKinds = { short: 0, double: 1, missing: 2 } as const;

function writeCell(cells: ColumnCells, i: number): void {
  const high = cells.high[i] ?? Number.NaN;
  const short = Number.isInteger(high) && Math.abs(high) < 2 ** 50;
  writer.byte(i);
  writer.byte(short ? cellKinds.short : cellKinds.double);
  if (short) writer.signed(high);
  else writer.double(high);
  if (cells.low !== undefined) writer.whole(cells.low[i] ?? 0);
}

function readCells(bytes: Uint8Array, cells: ColumnCells): void {
  const reader = new ByteReader(bytes);
  while (reader.more) {
    const i = reader.byte();
    const kind = reader.byte();
    const isMissing = kind === cellKinds.missing;
    cells.high[i] = isMissing ? Number.NaN : kind === cellKinds.short ? reader.signed() : reader.double();
    if (cells.low !== undefined) cells.low[i] = isMissing ? 0 : reader.whole();
  }
}

function copyOf({ high, low }: ColumnCells): ColumnCells {
  return { high: high.slice(), low: low?.slice() };
}

function codecOf({ wide }: CellShape): Codec<ColumnCells> {
  return {
    encode(cells) {
      for (let i = 0; i < columnChunk; i++) if (hasValue(cells, i)) writeCell(cells, i);
      return writer.finish();
    },
    decode(bytes) {
      const cells = emptyCells({ wide });
      readCells(bytes, cells);
      return cells;
    },
    copy: copyOf,
    weigh: () => columnChunk * (wide ? 16 : 8) + 300,
  };
}

/** Cells take some four bytes, in a chunk and among edits. */
export const maxCellEdits = 24;

const editsCodec: EditsCodec<ColumnCells> = {
  encode(whole, cells) {
    let edits = 0;
    for (let i = 0; i < columnChunk; i++) {
      if (isSame(whole, cells, i)) continue;
      if (++edits > maxCellEdits) {
        writer.finish();
        return undefined;
      }
      if (hasValue(cells, i)) writeCell(cells, i);
      else {
        writer.byte(i);
        writer.byte(cellKinds.missing);
      }
    }
    return writer.finish();
  },
  apply(whole, bytes) {
    const cells = copyOf(whole);
    readCells(bytes, cells);
    return cells;
  },
};

function hasValue({ high }: ColumnCells, i: number): boolean {
  return !Number.isNaN(high[i] ?? Number.NaN);
}

/** `every` would make an object of each number. */
function isEmpty(cells: ColumnCells): boolean {
  for (let i = 0; i < columnChunk; i++) if (hasValue(cells, i)) return false;
  return true;
}

function isSame(a: ColumnCells, b: ColumnCells, i: number): boolean {
  return hasValue(a, i) ? a.high[i] === b.high[i] && a.low?.[i] === b.low?.[i] : !hasValue(b, i);
}

function emptyCells({ wide }: CellShape): ColumnCells {
  return { high: new Float64Array(columnChunk).fill(Number.NaN), low: wide ? new Float64Array(columnChunk) : undefined };
}

export class Column {
  readonly cells: Keyspace<number, ColumnCells>;
  readonly kind: ValueKind;
  /** Each value takes two numbers. */
  readonly wide: boolean;
  readonly #empty: ColumnCells;

  /** @param prefixes of the keys of the chunks, and of the edits of each */
  constructor(host: KeyspaceHost, prefixes: { readonly chunks: string; readonly edits: string }, kind: ValueKind) {
    this.kind = kind;
    this.wide = kind === "int64" || kind === "dateTime";
    this.#empty = emptyCells(this);
    const edits = { prefix: prefixes.edits, codec: editsCodec };
    this.cells = new Keyspace(host, { prefix: prefixes.chunks, textOf: uidText, codec: codecOf(this), edits });
  }

  chunk(number: number, view: EntryView): ColumnCells {
    return this.cells.read(number, view) ?? this.#empty;
  }

  /** @param value undefined: the node has none */
  set(uid: number, value: Value | undefined, view: EntryView): void {
    const key = value === undefined ? undefined : sortKey(this.kind, value);
    const number = chunkOf(uid);
    const at = uid % columnChunk;
    const before = this.cells.read(number, view);
    if (key === undefined && (before === undefined || Number.isNaN(before.high[at] ?? Number.NaN))) return;
    let cells = this.cells.edit(number, view);
    if (cells === undefined) {
      cells = emptyCells(this);
      this.cells.put(number, cells);
    }
    const [high, low] = key === undefined ? [Number.NaN, 0] : this.parts(key);
    cells.high[at] = high;
    if (cells.low !== undefined) cells.low[at] = low;
    if (key === undefined && isEmpty(cells)) this.cells.put(number, undefined);
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
    this.cells.close();
  }
}
