// Counts, extremes, sums and averages: grouped by MongoDB where its results equal ours, else computed here.

import type { Document } from "mongodb";
import {
  type AggregateRequest,
  compareValues,
  type FollowRequest,
  type Measure,
  type MeasureRow,
  type Stored,
  type TypeName,
  type Uid,
  type Value,
  type ValueKind,
} from "../../../core/storage.ts";
import { isList } from "../../storage-kit/index.ts";
import type { Doc } from "../connection/connection.ts";
import type { EndRuntime, FieldRuntime } from "../layout/layout-runtime.ts";
import { linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { fewKeys, namesOfLinks, namesOfNodes } from "./count-names.ts";
import { extremeRows } from "./extremes.ts";
import { findRows, typeMatches } from "./find-rows.ts";
import { followingOf, partnersOf } from "./follow.ts";
import type { Following } from "./following.ts";
import { conjunction } from "./match.ts";
import type { Reader } from "./reader.ts";
import { type Row, sidesOf, sideTypes } from "./rows.ts";
import { joinAll } from "./semi-joins.ts";
import { slices } from "./slices.ts";

export async function aggregate(reader: Reader, { over, measures }: AggregateRequest): Promise<readonly MeasureRow[]> {
  if ("from" in over) return await perSource(reader, over, measures);
  const where = over.where ?? { kind: "all" };
  const joined = await joinAll(reader, where);
  const request = { types: over.types, where, joined };
  const matches = typeMatches(reader, request);
  if (matches.every(({ match }) => match.exact) && measures.every((measure) => isGrouped(reader, measure))) {
    const accumulators = accumulatorsFor(reader, measures);
    const names = measures.some(({ kind }) => kind === "count")
      ? namesOfNodes(
          reader.schema,
          matches.map(({ type }) => type),
          where,
        )
      : undefined;
    const known = names && (await reader.counts?.of(names));
    const others = known === undefined ? measures : measures.filter(({ kind }) => kind !== "count");
    const extremes = others.length === 0 ? [] : await extremeRows(reader, matches, others);
    if (extremes !== undefined) {
      for (const row of extremes) accumulators.take(row);
      if (known !== undefined) accumulators.counted(known.reduce((sum, count) => sum + count, 0));
      return [accumulators.row()];
    }
    const counts = await Promise.all(
      matches.map(async ({ type, match }) => {
        let count = 0;
        const filter = typeof match.filter === "object" ? match.filter : undefined;
        await eachGroup(reader, { type, filter, by: null, measures }, (doc) => {
          accumulators.join(doc);
          count += Number(doc.count);
        });
        return count;
      }),
    );
    keepCounts(reader, names, counts);
    return [accumulators.row()];
  }
  const accumulators = accumulatorsFor(reader, measures);
  await reader.turns.each(await findRows(reader, { ...request, fields: fieldsOf(measures) }), (row) => accumulators.take(row));
  return [accumulators.row()];
}

/** @param counts that add up to those of the names, or are one for each */
function keepCounts({ counts: known }: Reader, names: readonly string[] | undefined, counts: readonly number[]): void {
  const sum = counts.reduce((all, count) => all + count, 0);
  const [only = "", ...others] = names ?? [];
  if (names === undefined || sum < fewKeys) return;
  known?.keep(others.length === 0 ? new Map([[only, sum]]) : new Map(names.map((name, i) => [name, counts[i] ?? 0])));
}

async function perSource(
  reader: Reader,
  over: Omit<FollowRequest, "fields" | "order" | "page">,
  measures: readonly Measure[],
): Promise<readonly MeasureRow[]> {
  const end = reader.schema.ends.get(over.end);
  const names = end && measures.every(({ kind }) => kind === "count") ? namesOfLinks(end, over.from, over) : undefined;
  const known = names && (await reader.counts?.of(names));
  if (known !== undefined) return known.map((count) => measures.map(() => count));
  const counted = await countedPerSource(reader, over, measures);
  if (names !== undefined)
    keepCounts(
      reader,
      names,
      counted.map(([count]) => Number(count)),
    );
  return counted;
}

async function countedPerSource(
  reader: Reader,
  over: Omit<FollowRequest, "fields" | "order" | "page">,
  measures: readonly Measure[],
): Promise<readonly MeasureRow[]> {
  const following = await followingOf(reader, { ...over, fields: fieldsOf(measures) });
  const accumulators = new Map<Uid, Accumulators>();
  const accumulatorsOf = (source: Uid) => {
    let known = accumulators.get(source);
    if (known === undefined) {
      known = accumulatorsFor(reader, measures);
      accumulators.set(source, known);
    }
    return known;
  };
  if (following !== undefined) {
    const { end } = following;
    const matches = typeMatches(reader, following);
    const { placement } = end.store;
    const far = end.store.placement.shape === "field" && !end.near;
    if (far && matches.every(({ match }) => match.exact) && measures.every((measure) => isGrouped(reader, measure))) {
      for (const slice of slices(following.sources))
        await Promise.all(
          matches.map(({ type, match }) => {
            const property = linkPropertyOf(end.store, type);
            const { filter } = conjunction([{ filter: { [property]: { $in: slice } }, exact: true }, match]);
            // The keys of one node are counted without a look at them.
            const [only, ...others] = slice;
            const by = others.length === 0 ? null : `$${property}`;
            return eachGroup(reader, { type, filter: typeof filter === "object" ? filter : undefined, by, measures }, (doc) =>
              accumulatorsOf(Number(doc._id ?? only)).join(doc),
            );
          }),
        );
    } else if (placement.shape === "pairs" && following.where.kind === "all" && measures.every(({ kind }) => kind === "count")) {
      await eachCount(reader, following, placement.collection, (uid, doc) => accumulatorsOf(uid).join(doc));
    } else {
      for (const [source, rows] of await partnersOf(reader, following)) {
        if (reader.turns.isDue()) await reader.turns.turn();
        await reader.turns.each(rows, (row) => accumulatorsOf(source).take(row));
      }
    }
  }
  return await reader.turns.map(over.from, (source) => accumulatorsOf(source).row());
}

function fieldsOf(measures: readonly Measure[]): string[] {
  return [...new Set(measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field])))];
}

/** Floats are added in uid order, which `$group` does not guarantee; values to convert are computed here too. */
export function isGrouped(reader: Reader, measure: Measure): boolean {
  if (measure.kind === "count") return true;
  const field = reader.schema.fields.get(measure.field);
  if (field === undefined) return true;
  if (field.converted || field.list || field.kind === "geo") return false;
  return measure.kind === "min" || measure.kind === "max" || field.kind === "int" || field.kind === "int64";
}

interface Group {
  readonly type: TypeName;
  readonly filter: Document | undefined;
  readonly by: string | null;
  readonly measures: readonly Measure[];
}

async function eachGroup(
  reader: Reader,
  { type, filter, by, measures }: Group,
  visit: (doc: { _id: unknown; [name: string]: unknown }) => void,
): Promise<void> {
  const group: Document = { _id: by, ...measuresOf(reader, type, measures) };
  // Everything of a type is counted along its own index.
  const match = filter === undefined ? [{ $match: { _id: { $gt: 0 } } }] : [{ $match: filter }];
  await reader.each(collectionOf(type), [...match, { $group: group }], visit);
}

/** Counts the links of each source, along an index where only nodes of these types have such links. */
async function eachCount(reader: Reader, { end, sources, types }: Following, collection: string, visit: (uid: Uid, doc: Doc) => void): Promise<void> {
  const [own] = sidesOf(end);
  const ofTypes = typesOfLinks(end, types);
  for (const slice of slices(sources)) {
    const [only, ...others] = slice;
    const group = { _id: others.length === 0 ? null : `$${own}`, count: { $sum: 1 } };
    await reader.each(collection, [{ $match: { [own]: { $in: slice }, ...ofTypes } }, { $group: group }], (doc) =>
      visit(Number(doc._id ?? only), doc),
    );
  }
}

/** Which links count, where the collection has others. */
function typesOfLinks(end: EndRuntime, types: readonly TypeName[]): Document {
  const [, other] = sidesOf(end);
  const partners = types.length < end.partners.size ? { [`${other}Type`]: types } : {};
  return Object.fromEntries(Object.entries({ ...sideTypes(end), ...partners }).map(([property, names]) => [property, { $in: [...names] }]));
}

/** The accumulators of a `$group`, as `Accumulators.join` reads them. */
export function measuresOf(reader: Reader, type: TypeName, measures: readonly Measure[]): Document {
  const group: Document = { count: { $sum: 1 } };
  for (const name of fieldsOf(measures)) {
    const field = reader.schema.fields.get(name);
    if (field !== undefined) Object.assign(group, groupOf(field, type, measures));
  }
  return group;
}

function groupOf(field: FieldRuntime, type: TypeName, measures: readonly Measure[]): Document {
  const path = `$${field.property(type)}`;
  const value = `$${field.path(type)}`;
  const kinds = new Set(measures.flatMap((measure) => (measure.kind !== "count" && measure.field === field.name ? [measure.kind] : [])));
  const group: Document = { [nameOf("n", field)]: { $sum: { $cond: [{ $gt: [value, null] }, 1, 0] } } };
  if (kinds.has("sum") || kinds.has("avg")) group[nameOf("sum", field)] = { $sum: field.kind === "int64" ? { $toDecimal: path } : path };
  // Of equal instants, the one of the lower uid is returned.
  const extremum = (sign: 1 | -1) =>
    field.kind === "dateTime"
      ? { $cond: [{ $gt: [value, null] }, { utc: value, by: { $multiply: ["$_id", sign] }, text: `${path}.text` }, "$$REMOVE"] }
      : path;
  if (kinds.has("min")) group[nameOf("min", field)] = { $min: extremum(1) };
  if (kinds.has("max")) group[nameOf("max", field)] = { $max: extremum(-1) };
  return group;
}

/** Group keys allow no dots or dollars: fields are named by their position. */
function nameOf(what: string, field: FieldRuntime): string {
  return `${what}:${field.name.replaceAll(".", ":").replaceAll("$", "%24")}`;
}

export function accumulatorsFor(reader: Reader, measures: readonly Measure[]): Accumulators {
  const fields = fieldsOf(measures).map((name) => reader.schema.fields.get(name));
  return new Accumulators(measures, new Map(fields.flatMap((field) => (field === undefined ? [] : [[field.name, new Accumulator(field)] as const]))));
}

export class Accumulators {
  readonly #measures: readonly Measure[];
  readonly #fields: ReadonlyMap<string, Accumulator>;
  #count = 0;

  constructor(measures: readonly Measure[], fields: ReadonlyMap<string, Accumulator>) {
    this.#measures = measures;
    this.#fields = fields;
  }

  /** Call it in ascending order of uids. */
  take(row: Row): void {
    this.#count++;
    for (const [name, accumulator] of this.#fields) accumulator.take(row.value(name));
  }

  /** Adds a group that MongoDB computed. */
  join(doc: { readonly [name: string]: unknown }): void {
    this.#count += Number(doc.count);
    for (const accumulator of this.#fields.values()) accumulator.join(doc);
  }

  /** Sets a count that is known. */
  counted(count: number): void {
    this.#count = count;
  }

  row(): MeasureRow {
    return this.#measures.map((measure) => (measure.kind === "count" ? this.#count : this.#fields.get(measure.field)?.value(measure.kind)));
  }
}

class Accumulator {
  readonly #field: FieldRuntime;
  readonly #kind: ValueKind;
  #count = 0;
  #sum = 0;
  #longSum = 0n;
  #min: Value | undefined;
  #max: Value | undefined;

  constructor(field: FieldRuntime) {
    this.#field = field;
    this.#kind = field.kind;
  }

  take(value: Stored | undefined): void {
    // Lists have no measures. A value that the field's kind cannot represent does not equal itself.
    if (value === undefined || isList(value) || compareValues(this.#kind, value, value) !== 0) return;
    this.#lower(value);
    this.#higher(value);
    this.#count++;
    if (typeof value === "number") this.#sum += value;
    else if (typeof value === "bigint") this.#longSum += value;
  }

  join(doc: { readonly [name: string]: unknown }): void {
    const field = this.#field;
    this.#count += Number(doc[nameOf("n", field)]);
    const sum = doc[nameOf("sum", field)];
    if (sum !== undefined && field.kind === "int64") this.#longSum += BigInt(String(sum));
    else if (sum !== undefined) this.#sum += Number(sum);
    const min = groupedValue(doc[nameOf("min", field)]);
    const max = groupedValue(doc[nameOf("max", field)]);
    if (min !== undefined) this.#lower(min);
    if (max !== undefined) this.#higher(max);
  }

  #lower(value: Value): void {
    if (this.#min === undefined || compareValues(this.#kind, value, this.#min) < 0) this.#min = value;
  }

  #higher(value: Value): void {
    if (this.#max === undefined || compareValues(this.#kind, value, this.#max) > 0) this.#max = value;
  }

  value(kind: "min" | "max" | "sum" | "avg"): Value | undefined {
    if (this.#count === 0) return undefined;
    if (kind === "min") return this.#min;
    if (kind === "max") return this.#max;
    if (this.#kind === "int64") return kind === "sum" ? this.#longSum : Number(this.#longSum) / this.#count;
    return kind === "sum" ? this.#sum : this.#sum / this.#count;
  }
}

/** Parses a value of a group. */
function groupedValue(value: unknown): Value | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object" && "text" in value) return String(value.text);
  return value as Value;
}
