// A column: the values of one field in chunks of 256 uids, as typed arrays. Orders and aggregates use it instead of records.

import type { Value, ValueKind } from "../../../core/storage.ts";
import { ByteReader, ByteWriter } from "../keyspaces/bytes.ts";
import type { Codec } from "../keyspaces/codec.ts";
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

function codecOf({ wide }: CellShape): Codec<ColumnCells> {
  return {
    encode(cells) {
      for (let i = 0; i < columnChunk; i++) {
        const high = cells.high[i] ?? Number.NaN;
        if (Number.isNaN(high)) continue;
        const short = Number.isInteger(high) && Math.abs(high) < 2 ** 50;
        writer.byte(i);
        writer.byte(short ? 0 : 1);
        if (short) writer.signed(high);
        else writer.double(high);
        if (wide) writer.whole(cells.low?.[i] ?? 0);
      }
      return writer.finish();
    },
    decode(bytes) {
      const cells = emptyCells({ wide });
      const reader = new ByteReader(bytes);
      while (reader.more) {
        const i = reader.byte();
        cells.high[i] = reader.byte() === 0 ? reader.signed() : reader.double();
        if (cells.low !== undefined) cells.low[i] = reader.whole();
      }
      return cells;
    },
    copy: (cells) => ({ high: cells.high.slice(), low: cells.low?.slice() }),
    weigh: () => columnChunk * (wide ? 16 : 8) + 300,
  };
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

  constructor(host: KeyspaceHost, prefix: string, kind: ValueKind) {
    this.kind = kind;
    this.wide = kind === "int64" || kind === "dateTime";
    this.#empty = emptyCells(this);
    this.cells = new Keyspace(host, { prefix, textOf: uidText, codec: codecOf(this) });
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
    if (key === undefined && cells.high.every(Number.isNaN)) this.cells.put(number, undefined);
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
