// Compound indexes: a storage may ignore them, so every answer is that of a scan; those that keep them must keep them exact.

import assert from "node:assert/strict";
import {
  afterPlace,
  and,
  type Change,
  type Comparison,
  type FindRequest,
  type Layout,
  type Order,
  type Place,
  type Predicate,
  type Snapshot,
  type Stored,
  type Uid,
  type Value,
} from "../../../core/storage.ts";
import { type Bench, type Check, createOf } from "./kit.ts";
import { library } from "./layouts.ts";
import { Oracle } from "./oracle.ts";
import { type Pick, randomChanges, seeded } from "./random.ts";

/** The compound indexes of `library`: values of the leading fields, and of the last one. */
const groups = [
  { within: { "Post.title": ["", "a", "é"] }, last: "Post.rank", values: [-1, 0, 1, 255, 2_147_483_647] },
  { within: { "Post.open": [true, false] }, last: "Post.at", values: ["1970-01-01T02:00:00+02:00", "2031-04-09T06:00:00.5Z"] },
  { within: { "Post.rank": [0, 1, 255], "Named.label": ["a", "A", ""] }, last: "Post.name", values: ["", "a", "b", "\u{1f600}", "\uffee"] },
  { within: { "Post.plain": ["a", "b"] }, last: "Named.label", values: ["a", "zz z"] },
  // Tags have labels, and no score.
  { within: { "Named.label": ["a", "A", ""] }, last: "Post.score", values: [0, 1, 2] },
] as const;

interface Question extends FindRequest {
  readonly types: readonly string[];
  readonly where: Predicate;
  readonly order: Order;
}

function oneOf<T>(pick: Pick, values: readonly T[]): T {
  const value = values[pick(values.length)];
  assert.ok(value !== undefined);
  return value;
}

function equal(field: string, value: Value): Predicate {
  return { kind: "compare", field, op: "eq", operands: [value] };
}

/** Conditions on all leading fields of an index, and often on its last one and on others; mostly in its order. */
function question(pick: Pick): Question {
  const { within, last, values } = oneOf(pick, groups);
  const parts = Object.entries<readonly Value[]>(within).map(([field, known]) => leading(pick, field, known));
  if (pick(2) === 0) parts.push(range(pick, last, values));
  if (pick(4) === 0) parts.push(range(pick, last, values));
  if (pick(3) === 0) parts.push(oneOf(pick, others));
  const key = { field: last, direction: oneOf(pick, ["asc", "desc"] as const) };
  const order = oneOf<Order>(pick, [[key], [key], [key, { field: "Post.score", direction: "desc" }], [], [{ field: "Post.big", direction: "asc" }]]);
  const page = { ...(pick(3) > 0 && { first: 1 + pick(9) }), ...(pick(3) === 0 && { offset: pick(5) }) };
  return { types: oneOf(pick, [["Post"], ["Post", "PostTag"], ["PostTag", "Author"]]), where: and(...parts), order, page, fields: [] };
}

/** One value, or one of a few: some twice, some that no node has. */
function leading(pick: Pick, field: string, known: readonly Value[]): Predicate {
  if (pick(3) > 0) return equal(field, oneOf(pick, known));
  return among(
    field,
    Array.from({ length: 1 + pick(4) }, () => oneOf(pick, known)),
  );
}

function among(field: string, operands: readonly Value[]): Predicate {
  return { kind: "compare", field, op: "in", operands };
}

const others: readonly Predicate[] = [
  { kind: "after", uid: 30 },
  { kind: "has", field: "Post.score" },
  { kind: "not", of: equal("Post.big", 1n) },
  { kind: "lookup", index: "Post.text/words", match: "any", tokens: ["a", "zz"] },
  { kind: "type", types: ["Post"] },
];

function range(pick: Pick, field: string, values: readonly Value[]): Predicate {
  const op = oneOf<Comparison>(pick, ["eq", "in", "lt", "le", "gt", "ge", "between"]);
  const count = op === "between" ? 2 : op === "in" ? pick(3) : 1;
  return { kind: "compare", field, op, operands: Array.from({ length: count }, () => oneOf(pick, values)) };
}

async function ask(snapshot: Snapshot, oracle: Oracle, asked: Question): Promise<void> {
  const shown = JSON.stringify(asked, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  assert.deepEqual((await snapshot.find(asked)).uids, oracle.find(asked), `find ${shown}`);
  const { types, where } = asked;
  const uids = oracle.find({ types, where });
  const measures = [{ kind: "count" }, ...(["min", "max", "sum", "avg"] as const).map((kind) => ({ kind, field: "Post.rank" }) as const)] as const;
  const values = uids.map((uid) => oracle.nodes.get(uid)?.fields.get("Post.rank")).filter((value) => typeof value === "number");
  const sum = values.length === 0 ? undefined : values.reduce((a, b) => a + b, 0);
  const extremes = values.length === 0 ? [undefined, undefined] : [Math.min(...values), Math.max(...values)];
  const [row] = await snapshot.aggregate({ over: { types, where }, measures });
  assert.deepEqual(row, [uids.length, ...extremes, sum, sum === undefined ? undefined : sum / values.length], `measures of ${shown}`);
  const [count] = await snapshot.aggregate({ over: { types, where }, measures: [{ kind: "count" }] });
  assert.deepEqual(count, [uids.length], `count of ${shown}`);
}

/** Fields whose combinations lie in the indexes, some of them missing. */
function fieldsOf(pick: Pick): Record<string, Stored> {
  const fields: Record<string, Stored> = {};
  for (const { within, last, values } of groups) {
    for (const [field, known] of Object.entries<readonly Value[]>(within)) if (pick(6) > 0) fields[field] = oneOf(pick, known);
    if (pick(4) > 0) fields[last] = oneOf<Value>(pick, values);
  }
  if (pick(2) === 0) fields["Post.score"] = pick(3);
  if (pick(2) === 0) fields["Post.big"] = BigInt(pick(2));
  if (pick(2) === 0) fields["Post.text"] = oneOf(pick, ["a", "zz b", "c"]);
  return fields;
}

/** Creates posts, then changes and removes some of them, each in a transaction of its own. */
async function fill(bench: Bench, oracle: Oracle, pick: Pick, count: number): Promise<void> {
  const uids = await bench.write(async (transaction) => {
    const fresh = await transaction.uids(count);
    const changes = fresh.map((uid, i) =>
      i % 6 === 5 ? createOf(uid, "PostTag", { "Named.label": oneOf(pick, ["a", "A", ""]) }) : createOf(uid, "Post", fieldsOf(pick)),
    );
    await transaction.write(changes);
    oracle.apply(changes);
    return fresh.filter((_, i) => i % 6 < 5);
  });
  const nulls = (fields: Record<string, Stored>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, pick(4) === 0 ? null : value]));
  const changes = uids.flatMap((uid): Change[] => {
    if (pick(8) === 0) return [{ kind: "remove", uid, type: "Post" }];
    return pick(3) === 0 ? [{ kind: "set", uid, type: "Post", fields: nulls(fieldsOf(pick)) }] : [];
  });
  for (let start = 0; start < changes.length; start += 7) {
    const some = changes.slice(start, start + 7);
    await bench.write((transaction) => transaction.write(some));
    oracle.apply(some);
  }
}

async function askMany(bench: Bench, oracle: Oracle, pick: Pick, count: number): Promise<void> {
  await bench.read(async (snapshot) => {
    for (let i = 0; i < count; i++) await ask(snapshot, oracle, question(pick));
  });
}

/** All posts of a title, or of two, by rank, page by page. */
async function walked(bench: Bench, title: Predicate, order: Order, manner: "condition" | "place"): Promise<readonly Uid[]> {
  const seen: Uid[] = [];
  let place: Place | undefined;
  for (;;) {
    const behind = place === undefined ? { where: title } : placed(title, order, place, manner);
    const request = { types: ["Post"], ...behind, order, page: { first: 97 }, fields: order.map(({ field }) => field) };
    const { uids, columns } = await bench.read((snapshot) => snapshot.find(request));
    seen.push(...uids);
    const last = uids.at(-1);
    if (last === undefined || seen.length > 5_000) return seen;
    place = { uid: last, keys: columns.map((column) => column.at(-1)) };
  }
}

function placed(where: Predicate, order: Order, place: Place, manner: "condition" | "place") {
  return manner === "place" ? { where, after: place } : { where: and(where, afterPlace(order, place)) };
}

const withoutCompounds: Layout = { ...library, indexes: library.indexes.filter(({ by }) => by !== "compound") };

export const compoundChecks: readonly Check[] = [
  ...[1, 2, 3].map(
    (seed): Check => ({
      id: `compound.random.${seed}`,
      level: "MUST",
      title: "answers conditions, orders, pages and measures over the fields of a compound index as a scan does",
      why: "An index that changes an answer is worse than none.",
      async run(bench) {
        const pick = seeded(seed * 5_381);
        const oracle = new Oracle(library);
        await bench.deploy(library);
        await fill(bench, oracle, pick, 300);
        await askMany(bench, oracle, pick, 120);
        assert.deepEqual((await bench.storage.verify()).faults, []);
      },
    }),
  ),
  {
    id: "compound.pages",
    level: "MUST",
    title: "shows each node of a large group once, page by page in both directions, those without a value last",
    why: "A group of thousands lies in many blocks, and equal values lie across their borders.",
    async run(bench) {
      await bench.deploy(library);
      const pick = seeded(77);
      const oracle = new Oracle(library);
      await bench.write(async (transaction) => {
        const uids = await transaction.uids(1_600);
        const ranks = (i: number) => (i % 11 === 0 ? {} : { "Post.rank": pick(60) });
        const changes = uids.map((uid, i) => createOf(uid, "Post", { "Post.title": i % 8 === 7 ? "bi" : "big", ...ranks(i), "Post.score": pick(4) }));
        await transaction.write(changes);
        oracle.apply(changes);
      });
      for (const direction of ["asc", "desc"] as const) {
        for (const manner of bench.storage.supports.seek ? (["condition", "place"] as const) : (["condition"] as const)) {
          for (const then of [[], [{ field: "Post.score", direction: "asc" }]] as const) {
            const order: Order = [{ field: "Post.rank", direction }, ...then];
            for (const title of [equal("Post.title", "big"), among("Post.title", ["bi", "none", "big", "bi"])]) {
              const expected = oracle.find({ types: ["Post"], where: title, order });
              assert.deepEqual(
                await walked(bench, title, order, manner),
                expected,
                `${direction} by ${manner}, ${order.length} keys, ${JSON.stringify(title)}`,
              );
            }
          }
        }
      }
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "compound.own-writes",
    level: "MUST",
    title: "shows a transaction what it has written into a group, and others only what was committed",
    why: "Upserts and checks of a mutation read what it has just written.",
    async run(bench) {
      await bench.deploy(library);
      await bench.create("Post", [{ "Post.title": "g", "Post.rank": 2 }, { "Post.title": "g" }]);
      const request: FindRequest = {
        types: ["Post"],
        where: equal("Post.title", "g"),
        order: [{ field: "Post.rank", direction: "asc" }],
        fields: ["Post.rank"],
      };
      await bench.write(async (transaction) => {
        const [uid = 0] = await transaction.uids(1);
        await transaction.write([createOf(uid, "Post", { "Post.title": "g", "Post.rank": 1 })]);
        assert.deepEqual((await transaction.find(request)).columns, [[1, 2, undefined]]);
        await transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.title": "h" } }]);
        assert.deepEqual((await transaction.find(request)).columns, [[2, undefined]]);
        assert.deepEqual((await bench.read((snapshot) => snapshot.find(request))).columns, [[2, undefined]]);
      });
    },
  },
  {
    id: "compound.deploy",
    level: "MUST",
    title: "builds a compound index over data while others write, and drops it with its deploy",
    why: "People add one when a list has become slow: the store is full and in use.",
    async run(bench) {
      const pick = seeded(4_211);
      const oracle = new Oracle(library);
      await bench.deploy(withoutCompounds, "without");
      await fill(bench, oracle, pick, 400);
      const deployed = bench.deploy(library, "with");
      const uids = await bench.storage.transact(async (transaction) => transaction.uids(20), { version: bench.version }).then(({ result }) => result);
      const changes = randomChanges(pick, uids).filter(({ kind }) => kind === "create");
      await bench.storage.transact((transaction) => transaction.write(changes), { version: bench.version });
      oracle.apply(changes);
      await deployed;
      await askMany(bench, oracle, pick, 80);
      assert.deepEqual((await bench.storage.verify()).faults, []);
      await bench.deploy(withoutCompounds, "without");
      await fill(bench, oracle, pick, 50);
      await bench.deploy(library, "with");
      await askMany(bench, oracle, pick, 40);
      assert.deepEqual((await bench.storage.verify()).faults, []);
    },
  },
  {
    id: "compound.types",
    level: "MUST",
    title: "has the nodes of a type from the deploy on that gives it all fields of a compound index, and until the one that takes one away",
    why: "Nodes of before have no value of the new field: they belong at the end of each group.",
    async run(bench) {
      await bench.deploy(library);
      const [tag] = await bench.create("PostTag", [{ "Named.label": "a" }]);
      const [post] = await bench.create("Post", [{ "Named.label": "a", "Post.score": 2 }]);
      const scored: Layout = {
        ...library,
        types: library.types.map((type) => (type.name === "PostTag" ? { ...type, fields: [...type.fields, "Post.score"] } : type)),
      };
      const request: FindRequest = {
        types: ["Post", "PostTag"],
        where: equal("Named.label", "a"),
        order: [{ field: "Post.score", direction: "asc" }],
        fields: [],
      };
      const ask = async (types: readonly string[]) => (await bench.read((snapshot) => snapshot.find({ ...request, types }))).uids;
      assert.deepEqual(await ask(["Post"]), [post]);
      for (const layout of [scored, library, scored]) {
        await bench.deploy(layout);
        assert.deepEqual(await ask(["Post", "PostTag"]), [post, tag]);
        assert.deepEqual(await ask(["PostTag"]), [tag]);
        assert.deepEqual(await ask(["Post"]), [post]);
        assert.deepEqual((await bench.storage.verify()).faults, []);
      }
    },
  },
  {
    id: "compound.kinds",
    level: "MUST",
    title: "answers as a scan after a field of a compound index has changed its kind",
    why: "Values of before are converted when they are read, not where an index keeps them.",
    async run(bench) {
      await bench.deploy(library);
      const rows = ["10", "9", "x", undefined, "9"].map((name, i) => ({
        "Post.rank": 1,
        "Named.label": "a",
        "Post.score": i,
        ...(name && { "Post.name": name }),
      }));
      const uids = await bench.create("Post", rows);
      const numbers = library.fields.map((field) => (field.name === "Post.name" ? { ...field, kind: "int" as const } : field));
      await bench.deploy({ ...library, fields: numbers });
      const where = and(equal("Post.rank", 1), equal("Named.label", "a"));
      const ask = async (direction: "asc" | "desc") => {
        const request: FindRequest = { types: ["Post"], where, order: [{ field: "Post.name", direction }], page: { first: 3 }, fields: [] };
        return (await bench.read((snapshot) => snapshot.find(request))).uids;
      };
      const [ten, nine, , , again] = uids;
      assert.deepEqual(await ask("asc"), [nine, again, ten]);
      assert.deepEqual(await ask("desc"), [ten, nine, again]);
    },
  },
];
