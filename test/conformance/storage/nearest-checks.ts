// Vectors, and the nodes nearest to one.

import assert from "node:assert/strict";
import {
  type Change,
  distanceOf,
  type Layout,
  type Metric,
  type Nearest,
  type NearestIndex,
  not,
  type Predicate,
  QuernError,
  type Uid,
  type Vector,
} from "../../../core/storage.ts";
import type { Bench, Check } from "./kit.ts";
import { field } from "./layouts.ts";
import { seeded } from "./random.ts";

const fields = [field("Shape.at", "vector"), field("Shape.size", "int"), field("Named.at", "vector")];

function shapes(...indexes: readonly NearestIndex[]): Layout {
  return {
    types: [
      { name: "Shape", fields: fields.map(({ name }) => name) },
      { name: "ShapeTag", fields: ["Named.at"] },
    ],
    fields,
    edges: [],
    indexes,
    keys: [],
  };
}

/** The candidates that an insertion keeps in view: enough for vectors as short as these, and quick. */
const buildBreadth = 16;

const index = (metric: Metric, more: Partial<NearestIndex> = {}): NearestIndex => ({
  name: "Shape.at/near",
  field: "Shape.at",
  by: "nearest",
  metric,
  buildBreadth,
  ...more,
});

const vector = (...elements: readonly number[]): Vector => Float32Array.from(elements);

type Search = Partial<Nearest> & { readonly where?: Predicate; readonly types?: readonly string[] };

async function near(bench: Bench, to: Vector, { where, types = ["Shape"], ...nearest }: Search = {}) {
  const search: Nearest = { field: "Shape.at", metric: "euclidean", vector: to, count: 10, ...nearest };
  const batch = await bench.read((snapshot) => snapshot.find({ types, nearest: search, fields: [], ...(where && { where }) }));
  return batch.uids.map((uid, row): readonly [Uid, number | undefined] => [uid, batch.distances?.[row]]);
}

/** Checks of storages that find nearest nodes. The kernel scans for the others. */
function withPower(check: Check): Check {
  return {
    ...check,
    run: async (bench) => {
      if (bench.storage.supports.nearest) await check.run(bench);
    },
  };
}

export const nearestChecks: readonly Check[] = [
  {
    id: "nearest.values",
    level: "MUST",
    title: "a vector is returned exactly, is one value, and is equal to the same vector alone",
    why: "A vector that comes back as a list of its elements would lose its repeats.",
    async run(bench) {
      await bench.deploy(shapes(index("cosine")));
      const values = [vector(1, 1, 2), vector(Math.fround(0.1), -0, 3.4e38), vector(1, 2, 1)];
      const uids = await bench.create("Shape", [...values.map((at) => ({ "Shape.at": at })), {}]);
      const read = () => bench.read((snapshot) => snapshot.load({ uids, types: ["Shape"], fields: ["Shape.at"] }));
      assert.deepEqual((await read()).columns, [[...values, undefined]]);
      assert.deepEqual(await bench.find("Shape", { kind: "has", field: "Shape.at" }), uids.slice(0, 3));
      assert.deepEqual(await bench.find("Shape", { kind: "compare", field: "Shape.at", op: "eq", operands: [vector(1, 1, 2)] }), uids.slice(0, 1));
      const [uid = 0] = uids;
      const { record } = await bench.storage.transact(
        (transaction) => transaction.write([{ kind: "set", uid, type: "Shape", fields: { "Shape.at": vector(1, 1, 2) } }]),
        { version: bench.version },
      );
      assert.equal(record, undefined, "writing the same vector is no change");
      await bench.storage.close();
      await bench.storage.open();
      await bench.deploy(shapes(index("cosine")));
      assert.deepEqual((await read()).columns, [[...values, undefined]]);
    },
  },
  withPower({
    id: "nearest.order",
    level: "MUST",
    title: "returns the nearest by each metric, with exact distances; equally distant nodes by uid",
    why: "Clients see distances and places.",
    async run(bench) {
      await bench.deploy(shapes());
      const [a = 0, b = 0, c = 0, d = 0] = await bench.create(
        "Shape",
        [vector(1, 0), vector(0, 2), vector(-1, 0), vector(0, 2)].map((at) => ({ "Shape.at": at })),
      );
      const [e] = await bench.create("Shape", [{}]);
      assert.deepEqual(await near(bench, vector(1, 0)), [
        [a, 0],
        [c, 2],
        [b, Math.sqrt(5)],
        [d, Math.sqrt(5)],
      ]);
      assert.deepEqual(await near(bench, vector(3, 0), { metric: "cosine", count: 3 }), [
        [a, 0],
        [b, 1],
        [d, 1],
      ]);
      assert.deepEqual(await near(bench, vector(0, 1), { metric: "dotproduct", count: 2 }), [
        [b, -1],
        [d, -1],
      ]);
      assert.deepEqual(await near(bench, vector(0, 0), { metric: "cosine" }), [], "a vector of zeros has no angle");
      assert.notEqual(e, undefined);
    },
  }),
  withPower({
    id: "nearest.condition",
    level: "MUST",
    title: "the condition and the types decide before the count; then the limit of distance and the page",
    why: "The ten nearest that a caller may see are ten, even if hidden nodes are nearer.",
    async run(bench) {
      await bench.deploy(shapes(index("euclidean")));
      const uids = await bench.create(
        "Shape",
        [0, 1, 2, 3, 4].map((x) => ({ "Shape.at": vector(x), "Shape.size": x, "Named.at": vector(x) })),
      );
      const [tag] = await bench.create("ShapeTag", [{ "Named.at": vector(0.5) }]);
      const at = (i: number) => uids[i] ?? 0;
      const large: Predicate = { kind: "compare", field: "Shape.size", op: "ge", operands: [2] };
      assert.deepEqual(await near(bench, vector(0), { where: large, count: 2 }), [
        [at(2), 2],
        [at(3), 3],
      ]);
      assert.deepEqual(await near(bench, vector(0), { where: { kind: "none" } }), []);
      assert.deepEqual(await near(bench, vector(0), { within: 1 }), [
        [at(0), 0],
        [at(1), 1],
      ]);
      assert.deepEqual(await near(bench, vector(0), { field: "Named.at", types: ["Shape", "ShapeTag"], count: 2 }), [
        [at(0), 0],
        [tag, 0.5],
      ]);
      assert.deepEqual(await near(bench, vector(0), { field: "Named.at", types: ["ShapeTag"] }), [[tag, 0.5]]);
      const nearest: Nearest = { field: "Shape.at", metric: "euclidean", vector: vector(0), count: 4 };
      const page = await bench.read((snapshot) =>
        snapshot.find({ types: ["Shape"], nearest, page: { offset: 1, first: 2 }, fields: ["Shape.size"] }),
      );
      assert.deepEqual([page.uids, page.columns, page.distances], [[at(1), at(2)], [[1, 2]], [1, 2]]);
    },
  }),
  withPower({
    id: "nearest.lengths",
    level: "MUST",
    title: "compares vectors of one length; a search among vectors of other lengths alone fails",
    why: "An empty answer would hide a mistake of the client.",
    async run(bench) {
      for (const layout of [shapes(), shapes(index("euclidean"))]) {
        await bench.deploy(layout);
        await bench.storage.erase({ kind: "data" });
        assert.deepEqual(await near(bench, vector(1, 2)), []);
        await bench.create("Shape", [{}]);
        assert.deepEqual(await near(bench, vector(1, 2)), []);
        const [short, long] = await bench.create("Shape", [{ "Shape.at": vector(1, 2) }, { "Shape.at": vector(1, 2, 3) }]);
        assert.deepEqual(await near(bench, vector(1, 2)), [[short, 0]]);
        assert.deepEqual(await near(bench, vector(1, 2, 3)), [[long, 0]]);
        await assert.rejects(
          async () => await near(bench, vector(1)),
          (error) => error instanceof QuernError && error.code === "VALUE_INVALID",
        );
        const others = not({ kind: "uids", uids: [short, long].filter((uid) => uid !== undefined) });
        assert.deepEqual(await near(bench, vector(1), { where: others }), [], "vectors that the condition leaves out do not count");
      }
    },
  }),
  withPower({
    id: "nearest.transaction",
    level: "MUST",
    title: "a transaction finds its own vectors; a rolled back one leaves nothing; a snapshot keeps its view",
    why: "The index is written in the commit of the node.",
    async run(bench) {
      await bench.deploy(shapes(index("euclidean")));
      const [a = 0, b = 0] = await bench.create("Shape", [{ "Shape.at": vector(0) }, { "Shape.at": vector(5) }]);
      const nearest: Nearest = { field: "Shape.at", metric: "euclidean", vector: vector(1), count: 2 };
      const before = bench.storage.snapshot({ version: bench.version });
      const failure = new Error("rolled back");
      await assert.rejects(
        bench.write(async (transaction) => {
          await transaction.write([
            { kind: "set", uid: b, type: "Shape", fields: { "Shape.at": vector(1) } },
            { kind: "remove", uid: a, type: "Shape" },
          ]);
          assert.deepEqual((await transaction.find({ types: ["Shape"], nearest, fields: [] })).uids, [b]);
          throw failure;
        }),
        failure,
      );
      assert.deepEqual(await near(bench, vector(1)), [
        [a, 1],
        [b, 4],
      ]);
      await bench.write((transaction) => transaction.write([{ kind: "set", uid: a, type: "Shape", fields: { "Shape.at": null } }]));
      assert.deepEqual(await near(bench, vector(1)), [[b, 4]]);
      assert.deepEqual((await before.find({ types: ["Shape"], nearest, fields: [] })).uids, [a, b]);
      before.close();
    },
  }),
  ...(["euclidean", "dotproduct"] as const).map((metric) =>
    withPower({
      id: `nearest.index.${metric}`,
      level: "MUST",
      title: `an index by ${metric} finds most of the nearest: built over data, kept through changes and removals, after reopening`,
      why: "An index that loses nodes makes them unfindable.",
      run: (bench) => indexKeepsRecall(bench, index(metric)),
    }),
  ),
  withPower({
    id: "nearest.quantized",
    level: "SHOULD",
    title: "a quantized index finds most of the nearest, with exact distances",
    why: "It saves memory; the distances that clients see must not change.",
    run: (bench) => indexKeepsRecall(bench, index("cosine", { quantize: "int8" })),
  }),
];

const length = 4;
/** More than 2,000 are left after the removals. Fewer would be compared one by one. */
const nodes = 2_800;
const questions = 10;
/** Vectors whose first element is lower lie in the thinned region, where five in six are removed: those left have lost most of their neighbours. */
const regionEnd = -0.5;

/** A broad search of all nodes, and one that a condition narrows, must find nine in ten of the nearest, in the thinned region as elsewhere. */
async function indexKeepsRecall(bench: Bench, layout: NearestIndex): Promise<void> {
  const pick = seeded(7);
  const fresh = () => Float32Array.from({ length }, () => pick(2_000_001) / 1_000_000 - 1);
  const inRegion = (at: Vector) => (at[0] ?? 0) < regionEnd;
  await bench.deploy(shapes());
  const vectors = Array.from({ length: nodes }, fresh);
  const uids = await bench.create(
    "Shape",
    vectors.map((at, i) => ({ "Shape.at": at, "Shape.size": i % 3 })),
  );
  const present = new Map(uids.map((uid, i) => [uid, { at: vectors[i] ?? fresh(), size: i % 3 }]));
  await bench.deploy(shapes(layout), "indexed");
  await judge();
  const changes = [...present].flatMap(([uid, { at, size }], i): readonly Change[] => {
    if (inRegion(at) && i % 6 !== 0) {
      present.delete(uid);
      return [{ kind: "remove", uid, type: "Shape" }];
    }
    if (i % 10 !== 0) return [];
    const moved = fresh();
    present.set(uid, { at: moved, size });
    return [{ kind: "set", uid, type: "Shape", fields: { "Shape.at": moved } }];
  });
  await bench.write((transaction) => transaction.write(changes));
  const more = Array.from({ length: 100 }, fresh);
  const added = await bench.create(
    "Shape",
    more.map((at) => ({ "Shape.at": at, "Shape.size": 0 })),
  );
  added.forEach((uid, i) => void present.set(uid, { at: more[i] ?? fresh(), size: 0 }));
  await judge();
  await bench.storage.close();
  await bench.storage.open();
  await bench.deploy(shapes(layout), "indexed");
  await judge();
  assert.equal((await bench.storage.verify()).faultCount, 0);

  async function judge(): Promise<void> {
    for (const isPlace of [() => true, inRegion]) {
      await compare(isPlace);
      await compare(isPlace, { kind: "compare", field: "Shape.size", op: "eq", operands: [1] });
    }
  }

  async function compare(isPlace: (at: Vector) => boolean, where?: Predicate): Promise<void> {
    let found = 0;
    for (let question = 0; question < questions; question++) {
      let to = fresh();
      while (!isPlace(to)) to = fresh();
      const rows = await near(bench, to, { metric: layout.metric, ...(where && { where }) });
      const distances = new Map([...present].map(([uid, { at }]) => [uid, distanceOf(layout.metric, to, at)]));
      const exact = [...present.keys()]
        .filter((uid) => where === undefined || present.get(uid)?.size === 1)
        .map((uid): readonly [Uid, number] => [uid, distances.get(uid) ?? Number.NaN])
        .sort(([a, x], [b, y]) => x - y || a - b)
        .slice(0, 10);
      for (const [uid, distance] of rows) assert.equal(distance, distances.get(uid), "the distance is exact");
      assert.deepEqual(
        rows,
        [...rows].sort(([a, x = 0], [b, y = 0]) => x - y || a - b),
      );
      assert.equal(rows.length, 10);
      found += exact.filter(([uid]) => rows.some(([other]) => other === uid)).length;
    }
    assert.ok(found >= 9 * questions, `found ${found} of the ${10 * questions} nearest`);
  }
}
