// Groups nodes by keys and measures each group.

import {
  FieldMeasures,
  type FieldName,
  type Group,
  type GroupRequest,
  type Measure,
  nodesOfGroup,
  type Uid,
  type Value,
  type Work,
} from "../../../core/storage.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import { type Column, type ColumnChunk, chunkOf } from "../structures/column.ts";
import { endsOf } from "../structures/posting-list.ts";
import { planCandidates } from "./candidates.ts";
import { type Codes, type KeyCodes, keyCodes } from "./group-keys.ts";
import { blockRows, type Reader } from "./reader.ts";
import { gather } from "./scan.ts";
import { type Stream, streamOf } from "./stream.ts";
import type { UidRange } from "./uid-marks.ts";

export function* group(reader: Reader, { over, by, measures }: GroupRequest): Work<readonly Group[]> {
  const { driven, after } = yield* planCandidates(reader, over.types, over.where);
  const isPlain = driven.tests.length === 0 && after === 0;
  const stream = isPlain ? driven.stream : streamOf(yield* gather(reader, driven, { limit: Number.POSITIVE_INFINITY, after }));
  const range = rangeOf(stream);
  const keys = by.map((key) => keyCodes(reader, key, range));
  const numbers = new GroupNumbers(keys);
  const fields = new Set(measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field])));
  const gauges = new Map([...fields].map((name) => [name, gaugeOf(reader, reader.field(name))]));
  const readsRecords = [...gauges.values()].some((gauge) => gauge.readsRecords);
  for (let c = 0; c < stream.chunkCount; c++) {
    const chunk = stream.chunk(c);
    for (let start = 0; start < chunk.length; start += blockRows) {
      const block = chunk.length <= blockRows ? chunk : chunk.slice(start, start + blockRows);
      // Nodes that were gathered are paid for.
      yield* reader.spend(isPlain ? block.length : 0);
      yield* reader.prefetch(readsRecords ? block : (keys.map((key) => key.unread(block)).find((unread) => unread.length > 0) ?? []));
      const known = numbers.size;
      const groups = numbers.of(block);
      yield* reader.spend((numbers.size - known) * nodesOfGroup);
      for (const gauge of gauges.values()) gauge.take({ uids: block, groups, size: numbers.size });
    }
  }
  const found: Group[] = [];
  for (let number = 0; number < numbers.size; number++) {
    // There may be as many groups as nodes.
    if (number % blockRows === blockRows - 1) yield* reader.spend(0);
    const count = numbers.countOf(number);
    found.push({ keys: numbers.keysOf(number), measures: measures.map((measure) => measured(measure, { count, number, gauges })) });
  }
  return found;
}

function rangeOf(stream: Stream): UidRange {
  const [first, last] = endsOf(stream) ?? [0, 0];
  return { first, last, nodes: stream.count };
}

interface Measured {
  readonly count: number;
  readonly number: number;
  readonly gauges: ReadonlyMap<FieldName, Gauge>;
}

function measured(measure: Measure, { count, number, gauges }: Measured): Value | undefined {
  return measure.kind === "count" ? count : gauges.get(measure.field)?.value(number, measure.kind);
}

/** Two codes make one number below 2^52. */
const mostCodes = 2 ** 26;

/** Numbers combinations of codes in the order in which they are met. The codes of one key are numbers of groups already. */
class GroupNumbers {
  /** How many groups there are. */
  size = 0;
  #counts = new Float64Array(0);
  readonly #keys: readonly KeyCodes[];
  readonly #pairs: readonly Map<number, number>[];
  /** Of several keys: the codes of each group. */
  readonly #codes: number[][] = [];

  constructor(keys: readonly KeyCodes[]) {
    this.#keys = keys;
    this.#pairs = keys.map(() => new Map<number, number>());
  }

  countOf(number: number): number {
    return this.#counts[number] ?? 0;
  }

  /** The group of each node of a block. */
  of(uids: readonly Uid[]): Codes {
    const [first, ...others] = this.#keys.map((key) => key.of(uids));
    const groups = first === undefined || others.length === 0 ? (first ?? new Uint32Array(uids.length)) : this.#joined([first, ...others]);
    let most = this.size - 1;
    for (let row = 0; row < groups.length; row++) most = Math.max(most, groups[row] ?? 0);
    this.size = most + 1;
    const counts = grown(this.#counts, this.size, 0);
    this.#counts = counts;
    for (let row = 0; row < groups.length; row++) {
      const group = groups[row] ?? 0;
      counts[group] = (counts[group] ?? 0) + 1;
    }
    return groups;
  }

  #joined(codes: readonly Codes[]): Codes {
    const joined = new Uint32Array(codes[0]?.length ?? 0);
    for (let row = 0; row < joined.length; row++) {
      let number = 0;
      for (let k = 0; k < codes.length; k++) number = this.#join(k, number, codes[k]?.[row] ?? 0);
      joined[row] = number;
      if (this.#codes[number] === undefined) this.#codes[number] = codes.map((each) => each[row] ?? 0);
    }
    return joined;
  }

  keysOf(number: number): readonly (Value | undefined)[] {
    const codes = this.#codes[number];
    return this.#keys.map(({ values }, k) => values[codes === undefined ? number : (codes[k] ?? 0)]);
  }

  #join(place: number, number: number, code: number): number {
    const pairs = this.#pairs[place];
    const pair = number * mostCodes + code;
    const known = pairs?.get(pair);
    if (known !== undefined) return known;
    const next = pairs?.size ?? 0;
    pairs?.set(pair, next);
    return next;
  }
}

/** `values` with room for `size` of them. */
function grown(values: Float64Array<ArrayBuffer>, size: number, rest: number): Float64Array<ArrayBuffer> {
  if (size <= values.length) return values;
  const larger = new Float64Array(Math.max(64, size * 2)).fill(rest);
  larger.set(values);
  return larger;
}

interface Block {
  /** In ascending order, also from block to block. */
  readonly uids: readonly Uid[];
  readonly groups: Codes;
  /** How many groups there are. */
  readonly size: number;
}

/** The measures of one field in all groups. */
interface Gauge {
  readonly readsRecords: boolean;
  take(block: Block): void;
  value(group: number, kind: Exclude<Measure["kind"], "count">): Value | undefined;
}

function gaugeOf(reader: Reader, field: FieldRuntime): Gauge {
  const { column } = field;
  const isNarrow = column !== undefined && !column.wide && field.kind !== "boolean" && !field.converted;
  return isNarrow ? new ColumnGauge(reader, column) : new RecordGauge(reader, field);
}

class ColumnGauge implements Gauge {
  readonly readsRecords = false;
  readonly #reader: Reader;
  readonly #column: Column;
  #counts = new Float64Array(0);
  #sums = new Float64Array(0);
  #least = new Float64Array(0);
  #most = new Float64Array(0);

  constructor(reader: Reader, column: Column) {
    this.#reader = reader;
    this.#column = column;
  }

  take({ uids, groups, size }: Block): void {
    this.#counts = grown(this.#counts, size, 0);
    this.#sums = grown(this.#sums, size, 0);
    this.#least = grown(this.#least, size, Number.POSITIVE_INFINITY);
    this.#most = grown(this.#most, size, Number.NEGATIVE_INFINITY);
    const [counts, sums, least, most] = [this.#counts, this.#sums, this.#least, this.#most];
    let near = Number.NaN;
    let high: ColumnChunk["high"] | undefined;
    for (let row = 0; row < uids.length; row++) {
      const uid = uids[row] ?? 0;
      const number = chunkOf(uid);
      if (number !== near) high = this.#column.chunk(number, this.#reader.view).high;
      near = number;
      const value = high === undefined ? Number.NaN : (high[uid & 255] ?? Number.NaN);
      if (Number.isNaN(value)) continue;
      const group = groups[row] ?? 0;
      counts[group] = (counts[group] ?? 0) + 1;
      sums[group] = (sums[group] ?? 0) + value;
      if (value < (least[group] ?? 0)) least[group] = value;
      if (value > (most[group] ?? 0)) most[group] = value;
    }
  }

  value(group: number, kind: Exclude<Measure["kind"], "count">): Value | undefined {
    const count = this.#counts[group] ?? 0;
    if (count === 0) return undefined;
    if (kind === "min") return this.#least[group];
    if (kind === "max") return this.#most[group];
    const sum = this.#sums[group] ?? 0;
    return kind === "sum" ? sum : sum / count;
  }
}

class RecordGauge implements Gauge {
  readonly readsRecords = true;
  readonly #reader: Reader;
  readonly #field: FieldRuntime;
  readonly #groups: FieldMeasures[] = [];

  constructor(reader: Reader, field: FieldRuntime) {
    this.#reader = reader;
    this.#field = field;
  }

  take({ uids, groups }: Block): void {
    for (const [row, uid] of uids.entries()) {
      const record = this.#reader.record(uid);
      const group = groups[row] ?? 0;
      const known = this.#groups[group] ?? new FieldMeasures(this.#field.kind);
      this.#groups[group] = known;
      known.take(record && this.#field.read(record));
    }
  }

  value(group: number, kind: Exclude<Measure["kind"], "count">): Value | undefined {
    return this.#groups[group]?.value(kind);
  }
}
