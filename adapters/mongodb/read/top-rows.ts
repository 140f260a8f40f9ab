// The first rows of an order. Of several keys, the index of the first one finds the rows, and only those that are equal there to the last row of the page are
// sorted by the others: a second query, with the index of the second key at hand.

import type { Document } from "mongodb";
import type { Order, OrderKey } from "../../../core/storage.ts";
import { equalityText, operandOf } from "../layout/values.ts";
import type { Probes } from "./probes.ts";
import type { Reader } from "./reader.ts";
import { comparatorOf } from "./row-order.ts";
import { readQueries } from "./row-queries.ts";
import type { Row } from "./rows.ts";
import { type Sorted, sortedStages } from "./sorted.ts";

/** One list of rows. */
export interface Part {
  /** Its documents, type by type. They have the fields of the order. */
  readonly documents: readonly Omit<Sorted, "order" | "skip" | "limit" | "single">[];
  readonly wanted: number;
}

/** More rows than this are sorted by the database, which does not send them. */
export const mostWanted = 1_000;

export interface TopOptions {
  readonly order: Order;
  readonly probes?: Probes | undefined;
}

/** Of each part the first rows, in order. */
export async function topRows(reader: Reader, parts: readonly Part[], { order, probes }: TopOptions): Promise<Row[][]> {
  const [first, ...others] = order;
  const more = others.length === 0 ? 0 : 1;
  const read = await readParts(reader, parts, { order: first === undefined ? [] : [first], more, probes });
  const compare = comparatorOf(reader, order);
  const cuts = read.map((rows, p) => cutAtTies(reader, rows, { key: first, wanted: parts[p]?.wanted ?? 0, isWhole: more === 0 }));
  const open = cuts.flatMap(({ ties }, p) => (ties === undefined ? [] : [{ p, part: tiedPart(reader, parts[p], ties) }]));
  const openParts = open.map(({ part }) => part);
  const tied = open.length === 0 ? [] : await topRows(reader, openParts, { order: others, probes });
  return cuts.map(({ rows }, p) => {
    const i = open.findIndex((each) => each.p === p);
    return [...[...rows].sort(compare).slice(0, parts[p]?.wanted), ...(tied[i] ?? [])];
  });
}

/** Of each part so many rows, and `more`, by one key at most. */
async function readParts(reader: Reader, parts: readonly Part[], { order, more, probes }: TopOptions & { readonly more: number }): Promise<Row[][]> {
  const queries = parts.flatMap(({ documents, wanted }, p) =>
    documents.map((each) => ({ p, type: each.type, stages: sortedStages(reader.schema, { ...each, order, limit: wanted + more }) })),
  );
  const lists = parts.map((): Row[] => []);
  for (const [i, rows] of (await readQueries(reader, queries)).entries()) lists[queries[i]?.p ?? 0]?.push(...(probes?.rowsOf(rows) ?? rows));
  const compare = comparatorOf(reader, order);
  return lists.map((rows) => rows.sort(compare));
}

/** The nodes with one value of the first key, of which so many are still wanted. */
interface Ties {
  readonly key: OrderKey;
  /** Undefined: without a value. */
  readonly like: Row;
  readonly wanted: number;
}

interface Cut {
  readonly key: OrderKey | undefined;
  readonly wanted: number;
  readonly isWhole: boolean;
}

function cutAtTies(reader: Reader, rows: readonly Row[], { key, wanted, isWhole }: Cut): { readonly rows: readonly Row[]; readonly ties?: Ties } {
  const [last, next] = [rows[wanted - 1], rows[wanted]];
  if (key === undefined || isWhole || last === undefined || next === undefined) return { rows };
  const textOf = (row: Row) => valueText(reader, row, key);
  if (textOf(last) !== textOf(next)) return { rows: rows.slice(0, wanted) };
  const before = rows.slice(0, wanted).filter((row) => textOf(row) !== textOf(last));
  return { rows: before, ties: { key, like: last, wanted: wanted - before.length } };
}

function valueText(reader: Reader, row: Row, { field: name }: OrderKey): string | undefined {
  const field = reader.schema.fields.get(name);
  const [value] = field?.values(row.type, row.doc) ?? [];
  return field === undefined || value === undefined ? undefined : equalityText(field.kind, value);
}

function tiedPart(reader: Reader, part: Part | undefined, { key, like, wanted }: Ties): Part {
  const field = reader.schema.fields.get(key.field);
  const [value] = field?.values(like.type, like.doc) ?? [];
  const documents = (part?.documents ?? []).map((each) => {
    const path = field?.path(each.type) ?? "";
    const tie: Document = { [path]: field === undefined || value === undefined ? { $exists: false } : { $eq: operandOf(field.kind, value) } };
    return { ...each, from: undefined, filter: each.filter === true ? tie : { $and: [tie, each.filter] } };
  });
  return { documents, wanted };
}
