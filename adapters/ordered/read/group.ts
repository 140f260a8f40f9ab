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
} from "../../../core/storage.ts";
import type { FieldRuntime } from "../deploy/layout-runtime.ts";
import { type Column, chunkOf } from "../structures/column.ts";
import { planCandidates } from "./candidates.ts";
import { type KeyCodes, keyCodes } from "./group-keys.ts";
import { blockRows, type Reader } from "./reader.ts";
import { gather } from "./scan.ts";
import type { Work } from "./work.ts";

export function* group(reader: Reader, { over, by, measures }: GroupRequest): Work<readonly Group[]> {
  const { driven, after } = yield* planCandidates(reader, over.types, over.where);
  const uids = yield* gather(reader, driven, { limit: Number.POSITIVE_INFINITY, after });
  const keys = by.map((key) => keyCodes(reader, key, uids.length));
  const numbers = new GroupNumbers(keys);
  const fields = new Set(measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field])));
  const gauges = new Map([...fields].map((name) => [name, gaugeOf(reader, reader.field(name))]));
  const readsRecords = [...gauges.values()].some((gauge) => gauge.readsRecords);
  for (let start = 0; start < uids.length; start += blockRows) {
    const block = uids.slice(start, start + blockRows);
    yield* reader.spend(0);
    yield* reader.prefetch(readsRecords ? block : (keys.map((key) => key.unread(block)).find((unread) => unread.length > 0) ?? []));
    const known = numbers.counts.length;
    const groups = numbers.of(block);
    yield* reader.spend((numbers.counts.length - known) * nodesOfGroup);
    for (const gauge of gauges.values()) gauge.take(block, groups);
  }
  const found: Group[] = [];
  for (const [number, count] of numbers.counts.entries()) {
    // There may be as many groups as nodes.
    if (number % blockRows === blockRows - 1) yield* reader.spend(0);
    found.push({ keys: numbers.keysOf(number), measures: measures.map((measure) => measured(measure, { count, number, gauges })) });
  }
  return found;
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
  readonly counts: number[] = [];
  readonly #keys: readonly KeyCodes[];
  readonly #pairs: readonly Map<number, number>[];
  /** Of several keys: the codes of each group. */
  readonly #codes: number[][] = [];

  constructor(keys: readonly KeyCodes[]) {
    this.#keys = keys;
    this.#pairs = keys.map(() => new Map<number, number>());
  }

  /** The group of each node of a block. */
  of(uids: readonly Uid[]): readonly number[] {
    const [first, ...others] = this.#keys.map((key) => key.of(uids));
    const codes = others.length === 0 ? (first ?? []) : this.#joined([first ?? [], ...others]);
    const { counts } = this;
    for (const number of codes) {
      while (counts.length <= number) counts.push(0);
      counts[number] = (counts[number] ?? 0) + 1;
    }
    return codes;
  }

  #joined(codes: readonly (readonly number[])[]): readonly number[] {
    const length = codes[0]?.length ?? 0;
    return Array.from({ length }, (_, row) => {
      let number = 0;
      for (let k = 0; k < codes.length; k++) number = this.#join(k, number, codes[k]?.[row] ?? 0);
      if (this.#codes[number] === undefined) this.#codes[number] = codes.map((each) => each[row] ?? 0);
      return number;
    });
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

/** The measures of one field in all groups. */
interface Gauge {
  readonly readsRecords: boolean;
  /** Call it in ascending order of uids. */
  take(uids: readonly Uid[], groups: readonly number[]): void;
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
  readonly #counts: number[] = [];
  readonly #sums: number[] = [];
  readonly #least: number[] = [];
  readonly #most: number[] = [];

  constructor(reader: Reader, column: Column) {
    this.#reader = reader;
    this.#column = column;
  }

  take(uids: readonly Uid[], groups: readonly number[]): void {
    const [counts, sums, least, most] = [this.#counts, this.#sums, this.#least, this.#most];
    let near = Number.NaN;
    let high: Float64Array | undefined;
    for (let row = 0; row < uids.length; row++) {
      const uid = uids[row] ?? 0;
      const number = chunkOf(uid);
      if (number !== near) high = this.#column.chunk(number, this.#reader.view).high;
      near = number;
      const value = high === undefined ? Number.NaN : (high[uid & 255] ?? Number.NaN);
      if (Number.isNaN(value)) continue;
      const group = groups[row] ?? 0;
      while (counts.length <= group) {
        counts.push(0);
        sums.push(0);
        least.push(Number.POSITIVE_INFINITY);
        most.push(Number.NEGATIVE_INFINITY);
      }
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

  take(uids: readonly Uid[], groups: readonly number[]): void {
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
