// The stages that order and cut the documents of a type, on plain cases, without a server: each page of each order is a part of the sorted list. The
// stages run as in a transaction, where the storage itself joins the parts of a union; the rest of MongoDB is a few lines here.

import { describe, expect, it } from "vitest";
import { planMongo } from "../../../adapters/mongodb/deploy/next-catalog.ts";
import { emptyCatalog } from "../../../adapters/mongodb/layout/catalog.ts";
import { buildLayoutRuntime } from "../../../adapters/mongodb/layout/layout-runtime.ts";
import { type Sorted, sortedStages, wantedOf } from "../../../adapters/mongodb/read/sorted.ts";
import { readUnionApart } from "../../../adapters/mongodb/session/split-union.ts";
import type { Layout, Order } from "../../../core/storage.ts";

interface Boat {
  readonly _id: number;
  readonly rank?: number;
  readonly length?: number;
}

/** Ranks that are equal, lower than nothing, and missing. */
const boats: readonly Boat[] = [
  { _id: 1, rank: 5, length: 2 },
  { _id: 2 },
  { _id: 3, rank: -1, length: 9 },
  { _id: 4, rank: 5 },
  { _id: 5, rank: 0, length: 2 },
  { _id: 6, length: 4 },
  { _id: 7, rank: 5, length: 1 },
  { _id: 8, rank: 7 },
];

const layout: Layout = {
  types: [{ name: "Boat", fields: ["Boat.rank", "Boat.length"] }],
  fields: ["Boat.rank", "Boat.length"].map((name) => ({ name, kind: "int", list: false })),
  edges: [],
  indexes: [],
  keys: [],
};
const schema = buildLayoutRuntime(layout, planMongo(layout, emptyCatalog).next);

async function page(asked: Partial<Sorted>): Promise<readonly number[]> {
  const pipeline = sortedStages(schema, { type: "Boat", filter: true, order: [], project: { _id: 1 }, ...asked });
  const found: number[] = [];
  const read = readUnionApart({ collection: "Boat", pipeline }, async ({ collection, pipeline }, take) => {
    expect(collection).toBe("Boat");
    await take(run(pipeline));
  });
  await read((docs) => {
    for (const { _id } of docs) found.push(Number(_id));
    return true;
  });
  return found;
}

type Stage = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>> & { readonly _id: number };

function run(stages: readonly Stage[]): Row[] {
  let rows: Row[] = boats.map((boat) => ({ ...boat }));
  for (const stage of stages) rows = ran(stage, rows);
  return rows;
}

function ran(stage: Stage, rows: readonly Row[]): Row[] {
  const [[name, value] = []] = Object.entries(stage);
  switch (name) {
    case "$match":
      return rows.filter((row) => matches(row, value as Stage));
    case "$sort":
      return rows.toSorted((a, b) => compared(a, b, value as Readonly<Record<string, number>>));
    case "$skip":
      return rows.slice(Number(value));
    case "$limit":
      return rows.slice(0, Number(value));
    case "$set":
      return rows.map((row) => ({
        ...row,
        ...marks(row, value as Readonly<Record<string, { readonly $cond: readonly [Comparison, number, number] }>>),
      }));
    case "$project":
      return [...rows];
    default:
      throw new Error(`no stage ${name} is expected`);
  }
}

interface Comparison {
  readonly $gt: readonly [string, null];
}

function marks(row: Row, set: Readonly<Record<string, { readonly $cond: readonly [Comparison, number, number] }>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(set).map(([name, { $cond }]) => {
      const [{ $gt }, present, missing] = $cond;
      return [name, row[$gt[0].slice(1)] === undefined ? missing : present];
    }),
  );
}

function matches(row: Row, condition: Stage): boolean {
  return Object.entries(condition).every(([name, value]) => {
    if (name === "$and") return (value as readonly Stage[]).every((each) => matches(row, each));
    if (name === "$or") return (value as readonly Stage[]).some((each) => matches(row, each));
    return Object.entries(value as Stage).every(([operator, operand]) => holds(row[name], operator, operand));
  });
}

function holds(value: unknown, operator: string, operand: unknown): boolean {
  if (operator === "$exists") return (value !== undefined) === operand;
  if (value === undefined) return false;
  const difference = Number(value) === Number(operand) ? 0 : Number(value) - Number(operand);
  const fits: Readonly<Record<string, boolean>> = { $gt: difference > 0, $gte: difference >= 0, $lt: difference < 0, $lte: difference <= 0 };
  return fits[operator] ?? expect.fail(`no operator ${operator} is expected`);
}

/** A missing value is the lowest. */
function compared(a: Row, b: Row, keys: Readonly<Record<string, number>>): number {
  for (const [key, sign] of Object.entries(keys)) {
    const [x, y] = [a[key], b[key]].map((each) => (each === undefined ? Number.NEGATIVE_INFINITY : Number(each)));
    if (x !== y) return Number(x) < Number(y) ? -sign : sign;
  }
  return 0;
}

const by = (name: "rank" | "length", direction: "asc" | "desc"): Order[number] => ({ field: `Boat.${name}`, direction });
/** By hand: equal values by uid, missing ones last. */
const lists: readonly (readonly [Order, readonly number[]])[] = [
  [[], [1, 2, 3, 4, 5, 6, 7, 8]],
  [[by("rank", "asc")], [3, 5, 1, 4, 7, 8, 2, 6]],
  [[by("rank", "desc")], [8, 1, 4, 7, 5, 3, 2, 6]],
  [
    [by("rank", "asc"), by("length", "desc")],
    [3, 5, 1, 7, 4, 8, 6, 2],
  ],
  [
    [by("length", "asc"), by("rank", "asc")],
    [7, 5, 1, 6, 3, 4, 8, 2],
  ],
];

describe.each(lists)("the documents ordered by %j", (order, list) => {
  it("are the list", async () => expect(await page({ order })).toEqual(list));

  it("are cut to each page of the list", async () => {
    for (let skip = 0; skip <= list.length; skip++) {
      expect(await page({ order, skip }), `from ${skip}`).toEqual(list.slice(skip));
      for (let limit = 1; limit <= list.length + 1; limit++)
        expect(await page({ order, skip, limit }), `${limit} from ${skip}`).toEqual(list.slice(skip, skip + limit));
    }
  });
});

describe.each(["asc", "desc"] as const)("behind a place of an order %s", (direction) => {
  const order = [by("rank", direction)];
  const list = lists.find(([[first, second]]) => second === undefined && first?.direction === direction)?.[1] ?? [];

  it("are the rest of the list, cut to each page", async () => {
    for (const [at, uid] of list.entries()) {
      const rank = boats.find(({ _id }) => _id === uid)?.rank;
      const after = { uid, keys: [rank] };
      expect(await page({ order, after }), `behind ${uid}`).toEqual(list.slice(at + 1));
      for (const limit of [1, 2, 5])
        expect(await page({ order, after, skip: 1, limit }), `${limit} behind ${uid}`).toEqual(list.slice(at + 2, at + 2 + limit));
    }
  });
});

it("the last documents come in descending order", async () => {
  expect(await page({ backwards: true, limit: 3 })).toEqual([8, 7, 6]);
});

it("reads as many of each of several types as the page may need", () => {
  expect(wantedOf(undefined)).toBeUndefined();
  expect(wantedOf({ offset: 4 })).toBeUndefined();
  expect(wantedOf({ first: 3 })).toBe(3);
  expect(wantedOf({ first: 3, offset: 4 })).toBe(7);
  expect(wantedOf({ last: 2 })).toBe(2);
});
