// Groups nodes by keys: one pipeline of MongoDB for each type where its results equal ours, else the rows are grouped here.

import type { Document } from "mongodb";
import {
  type Group,
  Grouping,
  type GroupKey,
  type GroupRequest,
  nodesOfGroup,
  parseDateTime,
  startOfUnit,
  type TypeName,
  type Value,
} from "../../../core/storage.ts";
import { linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { type Accumulators, accumulatorsFor, isGrouped, measuresOf } from "./aggregate.ts";
import { findRows, typeMatches } from "./find-rows.ts";
import type { Reader } from "./reader.ts";
import { batchOf } from "./rows.ts";
import { joinAll } from "./semi-joins.ts";
import { slices } from "./slices.ts";

/** Rows that are grouped between two looks at the clock. */
const rowsAtOnce = 512;

export async function group(reader: Reader, { over, by, measures }: GroupRequest): Promise<readonly Group[]> {
  const where = over.where ?? { kind: "all" };
  const joined = await joinAll(reader, where);
  const request = { types: over.types, where, joined };
  const matches = typeMatches(reader, request);
  const isExact = matches.every(({ match }) => match.exact);
  if (!isExact || !by.every((key) => isKeyed(reader, key)) || !measures.every((measure) => isGrouped(reader, measure))) {
    const grouping = new Grouping({ by, measures }, (name) => reader.schema.fields.get(name)?.kind);
    const rows = await findRows(reader, { ...request, fields: grouping.columns });
    for (const slice of slices(rows, rowsAtOnce)) {
      if (reader.turns.isDue(slice.length)) await reader.turns.turn();
      grouping.take(await batchOf(reader, slice, grouping.columns));
    }
    reader.budget?.spend(grouping.size * nodesOfGroup);
    return grouping.groups();
  }
  const groups = new Map<string, { readonly keys: readonly (Value | undefined)[]; readonly measured: Accumulators }>();
  await Promise.all(
    matches.map(async ({ type, match }) => {
      const stages = [
        { $match: typeof match.filter === "object" ? match.filter : { _id: { $gt: 0 } } },
        { $group: { _id: keysOf(reader, by, type), ...measuresOf(reader, type, measures) } },
      ];
      await reader.each(collectionOf(type), stages, (doc) => {
        const keys = by.map((key, k) => keyValue(reader, key, partAt(doc._id, k)));
        const id = keys.map(textOf).join();
        const known = groups.get(id);
        const group = known ?? { keys, measured: accumulatorsFor(reader, measures) };
        if (!known) reader.budget?.spend(nodesOfGroup);
        group.measured.join(doc);
        groups.set(id, group);
      });
    }),
  );
  return [...groups.values()].map(({ keys, measured }) => ({ keys, measures: measured.row() }));
}

/** Values to convert, and links in other documents, are grouped here. */
function isKeyed(reader: Reader, { field: name }: GroupKey): boolean {
  const end = reader.schema.ends.get(name);
  if (end) return end.near;
  const field = reader.schema.fields.get(name);
  return field !== undefined && !field.converted && !field.list && field.kind !== "geo";
}

/** `_id` of the stage: the keys by their places. */
function keysOf(reader: Reader, by: readonly GroupKey[], type: TypeName): Document {
  return Object.fromEntries(by.map((key, k) => [`k${k}`, keyOf(reader, key, type)]));
}

/** How much of `2031-04-09T06:00:00.000000000Z` a unit keeps. */
const kept = { year: 4, month: 7, day: 10, hour: 13 } as const;

function keyOf(reader: Reader, { field: name, unit }: GroupKey, type: TypeName): unknown {
  const end = reader.schema.ends.get(name);
  if (end) return end.types.has(type) ? `$${linkPropertyOf(end.store, type)}` : null;
  const field = reader.schema.fields.get(name);
  if (!field?.holders.has(type)) return null;
  const path = `$${field.path(type)}`;
  if (unit === undefined) return path;
  // A mark stands before years outside 0 to 9999.
  const isMarked = { $in: [{ $substrBytes: [path, 0, 1] }, ["-", "~"]] };
  return { $cond: [{ $gt: [path, null] }, { $substrBytes: [path, 0, { $cond: [isMarked, kept[unit] + 1, kept[unit]] }] }, null] };
}

function partAt(id: unknown, place: number): unknown {
  return typeof id === "object" && id !== null ? Object.entries(id).find(([name]) => name === `k${place}`)?.[1] : undefined;
}

const wholeInstant = "0000-01-01T00:00:00Z";

/** Parses a key of a group. */
function keyValue(reader: Reader, { field, unit }: GroupKey, part: unknown): Value | undefined {
  if (part === undefined || part === null) return undefined;
  if (reader.schema.ends.has(field)) return Number(part);
  if (reader.schema.fields.get(field)?.kind === "dateTime") {
    const text = String(part);
    if (text.startsWith("-")) return startOfUnit({ seconds: Number.NEGATIVE_INFINITY, nanos: 0 }, unit);
    if (text.startsWith("~")) return startOfUnit({ seconds: Number.POSITIVE_INFINITY, nanos: 0 }, unit);
    const instant = parseDateTime(unit === undefined ? text : text + wholeInstant.slice(text.length));
    return instant && startOfUnit(instant, unit);
  }
  return part === 0 ? 0 : (part as Value);
}

/** Different for different keys of one place. */
function textOf(key: Value | undefined): string {
  return key === undefined ? "" : JSON.stringify(String(key));
}
