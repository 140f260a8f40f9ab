// The keys by which nodes are grouped, as small numbers: from columns, from lists of equal values, from links, else from records.

import { type GroupKey, groupKeyReader, startOfUnit, type Uid, type Value } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { FieldRuntime, ListIndexRuntime } from "../layout/layout-runtime.ts";
import { type Column, type ColumnChunk, chunkOf } from "../structures/column.ts";
import { equalityText } from "../structures/sort-keys.ts";
import type { Reader } from "./reader.ts";
import { partnerOf } from "./rows.ts";
import { UidMarks, type UidRange } from "./uid-marks.ts";

/** Of each node of a block. */
export type Codes = Uint32Array;

/** The distinct values of one key, each with a code: its place here. */
export abstract class KeyCodes {
  readonly values: (Value | undefined)[] = [];
  readonly #codes = new Map<Value | undefined, number>();

  /** The codes of a block of nodes, in ascending order of uids. */
  abstract of(uids: readonly Uid[]): Codes;

  /** The nodes of the block whose records `of` will read. */
  unread(_uids: readonly Uid[]): readonly Uid[] {
    return [];
  }

  protected codeOf(value: Value | undefined): number {
    const known = this.#codes.get(value);
    if (known !== undefined) return known;
    const code = this.values.push(value) - 1;
    this.#codes.set(value, code);
    return code;
  }
}

/** @param range of the nodes that are grouped */
export function keyCodes(reader: Reader, key: GroupKey, range: UidRange): KeyCodes {
  const end = reader.schema.ends.get(key.field);
  if (end !== undefined) return new ReadCodes((uid) => partnerOf(reader, end, uid));
  const field = reader.field(key.field);
  const { column, hash } = field;
  if (column !== undefined && !field.converted) return new ColumnCodes(reader, column, key);
  if (hash !== undefined && !field.converted && !field.list && key.unit === undefined && field.kind !== "dateTime")
    return new ListedCodes(reader, { field, lists: hash.lists, range });
  const read = groupKeyReader(key, field.kind);
  return new RecordCodes((uid) => {
    const record = reader.record(uid);
    return read(record && field.read(record));
  });
}

class ReadCodes extends KeyCodes {
  readonly #read: (uid: Uid) => Value | undefined;

  constructor(read: (uid: Uid) => Value | undefined) {
    super();
    this.#read = read;
  }

  of(uids: readonly Uid[]): Codes {
    return Uint32Array.from(uids, (uid) => this.codeOf(this.#read(uid)));
  }
}

class RecordCodes extends ReadCodes {
  override unread(uids: readonly Uid[]): readonly Uid[] {
    return uids;
  }
}

class ColumnCodes extends KeyCodes {
  readonly #reader: Reader;
  readonly #column: Column;
  readonly #valueAt: (chunk: ColumnChunk, at: number, uid: Uid) => Value | undefined;

  constructor(reader: Reader, column: Column, { unit }: GroupKey) {
    super();
    this.#reader = reader;
    this.#column = column;
    this.#valueAt = this.#valuesOf(unit);
  }

  of(uids: readonly Uid[]): Codes {
    let near = Number.NaN;
    let chunk: ColumnChunk | undefined;
    return Uint32Array.from(uids, (uid) => {
      const number = chunkOf(uid);
      if (number !== near) chunk = this.#column.chunk(number, this.#reader.view);
      near = number;
      const at = uid & 255;
      const isMissing = chunk === undefined || Number.isNaN(chunk.high[at] ?? Number.NaN);
      return this.codeOf(chunk === undefined || isMissing ? undefined : this.#valueAt(chunk, at, uid));
    });
  }

  #valuesOf(unit: GroupKey["unit"]): (chunk: ColumnChunk, at: number, uid: Uid) => Value | undefined {
    switch (this.#column.kind) {
      case "boolean":
        return ({ high }, at) => high[at] === 1;
      case "int64":
        return (_, __, uid) => this.#column.keyOf(uid, this.#reader.view);
      case "dateTime": {
        const hours = new Map<number, string>();
        return ({ high, low }, at) => {
          const seconds = high[at] ?? 0;
          if (unit === undefined) return startOfUnit({ seconds, nanos: low?.[at] ?? 0 }, unit);
          const hour = Math.floor(seconds / 3_600);
          const known = hours.get(hour) ?? startOfUnit({ seconds, nanos: 0 }, unit);
          hours.set(hour, known);
          return known;
        };
      }
      default:
        return ({ high }, at) => high[at];
    }
  }
}

/** Lists of fewer nodes than this, on average, cost more than the records that they save. */
const fewestListed = 4;
const listsBeforeJudging = 256;
/** A list may be so many times as long as what is grouped. */
const longestList = 4;

interface Listed {
  readonly field: FieldRuntime;
  readonly lists: ListIndexRuntime["lists"];
  readonly range: UidRange;
}

/** One record of each value is read; the list of its value names all other nodes that have it. */
class ListedCodes extends KeyCodes {
  readonly #reader: Reader;
  readonly #listed: Listed;
  readonly #read: (uid: Uid) => Value | undefined;
  /** Codes plus 1. */
  readonly #marks: UidMarks;
  #opened = 0;
  #marked = 0;

  constructor(reader: Reader, listed: Listed) {
    super();
    this.#reader = reader;
    this.#listed = listed;
    this.#marks = new UidMarks(listed.range);
    const { field } = listed;
    const read = groupKeyReader({ field: field.name }, field.kind);
    const readField = (uid: Uid) => {
      const record = reader.record(uid);
      return read(record && field.read(record));
    };
    // In two steps: V8 puts a function that is written to a property at once among old objects, which keeps the view alive for long.
    this.#read = readField;
  }

  of(uids: readonly Uid[]): Codes {
    const marks = this.#marks;
    const codes = new Uint32Array(uids.length);
    for (let row = 0; row < uids.length; row++) {
      const uid = uids[row] ?? 0;
      const mark = marks.of(uid);
      codes[row] = mark > 0 ? mark - 1 : this.#readCode(uid);
    }
    return codes;
  }

  override unread(uids: readonly Uid[]): readonly Uid[] {
    // While lists are used, few nodes of a block are read.
    return this.#usesLists ? [] : uids.filter((uid) => this.#marks.of(uid) === 0);
  }

  get #usesLists(): boolean {
    return this.#opened < listsBeforeJudging || this.#marked >= this.#opened * fewestListed;
  }

  #readCode(uid: Uid): number {
    const value = this.#read(uid);
    const known = this.values.length;
    const code = this.codeOf(value);
    if (value !== undefined && code === known && this.#usesLists) this.#mark(value, code);
    return code;
  }

  #mark(value: Value, code: number): void {
    const { field, lists, range } = this.#listed;
    const text = equalityText(field.kind, value);
    if (text === undefined) return;
    const list = lists.open(boundedText(text), this.#reader.view);
    this.#opened++;
    if (list.count > range.nodes * longestList) return;
    this.#marked += list.count;
    for (let c = 0; c < list.chunkCount; c++) this.#marks.set(list.chunk(c), code + 1);
  }
}
