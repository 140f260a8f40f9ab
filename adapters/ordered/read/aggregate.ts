// Counts, extremes, sums and averages, from columns where the field has one, else from records.

import {
  type AggregateRequest,
  compareValues,
  type FollowRequest,
  type Measure,
  type MeasureRow,
  type Stored,
  type Uid,
  type Value,
  type Work,
} from "../../../core/storage.ts";
import type { FieldRuntime } from "../layout/layout-runtime.ts";
import { type ColumnChunk, chunkOf } from "../structures/column.ts";
import { aggregateOfLists } from "./aggregate-compound.ts";
import { planCandidates } from "./candidates.ts";
import { eachSource } from "./follow.ts";
import { blockRows, type Reader } from "./reader.ts";
import { scan } from "./scan.ts";

export function* aggregate(reader: Reader, { over, measures }: AggregateRequest): Work<readonly MeasureRow[]> {
  if ("from" in over) return yield* perSource(reader, over, measures);
  const known = yield* aggregateOfLists(reader, over, measures);
  if (known !== undefined) return [known];
  const candidates = yield* planCandidates(reader, over.types, over.where);
  const { driven, after } = candidates;
  const onlyCounts = measures.every((measure) => measure.kind === "count");
  if (onlyCounts && driven.tests.length === 0 && after === 0 && driven.driver.exactCount !== undefined) {
    const count = driven.driver.exactCount;
    return [measures.map(() => count)];
  }
  const accumulators = accumulatorsFor(reader, measures);
  const records = driven.records || accumulators.fields.some((accumulator) => accumulator.readsRecords);
  yield* scan(
    reader,
    { ...driven, records },
    {
      after,
      take(uids) {
        accumulators.take(uids);
        return true;
      },
    },
  );
  return [accumulators.row()];
}

function* perSource(
  reader: Reader,
  over: Omit<FollowRequest, "fields" | "order" | "page">,
  measures: readonly Measure[],
): Work<readonly MeasureRow[]> {
  const rows: MeasureRow[] = [];
  yield* eachSource(reader, over, (partners) => {
    const accumulators = accumulatorsFor(reader, measures);
    if (partners.length <= blockRows) accumulators.take(partners);
    else takeBlocks(reader, partners, accumulators);
    rows.push(accumulators.row());
  });
  return rows;
}

/** One node may have a million partners. */
function takeBlocks(reader: Reader, partners: readonly Uid[], accumulators: Accumulators): void {
  for (let start = 0; start < partners.length; start += blockRows) {
    reader.check();
    accumulators.take(partners.slice(start, start + blockRows));
  }
}

class Accumulators {
  readonly fields: readonly Accumulator[];
  readonly #measures: readonly Measure[];
  #count = 0;

  constructor(measures: readonly Measure[], fields: readonly Accumulator[]) {
    this.#measures = measures;
    this.fields = fields;
  }

  take(uids: readonly Uid[]): void {
    this.#count += uids.length;
    for (const accumulator of this.fields) accumulator.take(uids);
  }

  row(): MeasureRow {
    return this.#measures.map((measure) =>
      measure.kind === "count" ? this.#count : this.fields.find((each) => each.name === measure.field)?.value(measure.kind),
    );
  }
}

function accumulatorsFor(reader: Reader, measures: readonly Measure[]): Accumulators {
  const names = new Set(measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field])));
  const accumulators = [...names].map((name) => {
    const field = reader.field(name);
    const { column } = field;
    const narrow = column !== undefined && !column.wide && field.kind !== "boolean" && !field.converted;
    return narrow ? new ColumnGauge(reader, field) : new RecordGauge(reader, field);
  });
  return new Accumulators(measures, accumulators);
}

interface Accumulator {
  readonly name: string;
  readonly readsRecords: boolean;
  /** Call it in ascending order of uids. */
  take(uids: readonly Uid[]): void;
  value(kind: "min" | "max" | "sum" | "avg"): Value | undefined;
}

/** Over an int or float column. */
class ColumnGauge implements Accumulator {
  readonly name: string;
  readonly readsRecords = false;
  readonly #reader: Reader;
  readonly #field: FieldRuntime;
  #near = Number.NaN;
  #chunk: ColumnChunk | undefined;
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor(reader: Reader, field: FieldRuntime) {
    this.name = field.name;
    this.#reader = reader;
    this.#field = field;
  }

  take(uids: readonly Uid[]): void {
    const column = this.#field.column;
    let near = this.#near;
    let chunk = this.#chunk;
    let count = 0;
    let sum = this.#sum;
    let min = this.#min;
    let max = this.#max;
    for (const uid of uids) {
      const number = chunkOf(uid);
      if (number !== near) {
        near = number;
        chunk = column?.chunk(number, this.#reader.view);
      }
      const value = chunk?.high[uid & 255] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      count++;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    this.#near = near;
    this.#chunk = chunk;
    this.#count += count;
    this.#sum = sum;
    this.#min = min;
    this.#max = max;
  }

  value(kind: "min" | "max" | "sum" | "avg"): Value | undefined {
    if (this.#count === 0) return undefined;
    if (kind === "min") return this.#min;
    if (kind === "max") return this.#max;
    return kind === "sum" ? this.#sum : this.#sum / this.#count;
  }
}

/** Over records: texts, dates, long integers, and fields without a column. */
class RecordGauge implements Accumulator {
  readonly name: string;
  readonly readsRecords = true;
  readonly #reader: Reader;
  readonly #field: FieldRuntime;
  #count = 0;
  #sum = 0;
  #longSum = 0n;
  #min: Value | undefined;
  #max: Value | undefined;

  constructor(reader: Reader, field: FieldRuntime) {
    this.name = field.name;
    this.#reader = reader;
    this.#field = field;
  }

  take(uids: readonly Uid[]): void {
    for (const uid of uids) {
      const record = this.#reader.record(uid);
      const value = record && single(this.#field.read(record));
      if (value !== undefined) this.#add(value);
    }
  }

  #add(value: Value): void {
    const { kind } = this.#field;
    // A value that the field's kind cannot represent does not equal itself.
    if (compareValues(kind, value, value) !== 0) return;
    if (this.#min === undefined || compareValues(kind, value, this.#min) < 0) this.#min = value;
    if (this.#max === undefined || compareValues(kind, value, this.#max) > 0) this.#max = value;
    this.#count++;
    if (typeof value === "number") this.#sum += value;
    else if (typeof value === "bigint") this.#longSum += value;
  }

  value(kind: "min" | "max" | "sum" | "avg"): Value | undefined {
    if (this.#count === 0) return undefined;
    if (kind === "min") return this.#min;
    if (kind === "max") return this.#max;
    if (this.#field.kind === "int64") return kind === "sum" ? this.#longSum : Number(this.#longSum) / this.#count;
    return kind === "sum" ? this.#sum : this.#sum / this.#count;
  }
}

function single(stored: Stored | undefined): Value | undefined {
  return Array.isArray(stored) ? undefined : (stored as Value | undefined);
}
