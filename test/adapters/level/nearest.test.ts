// The graph of vectors in a store: deploys that build it, change it, or are cut short, and what a check finds.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { type Change, distanceOf, type Layout, type Metric, type NearestIndex, type Storage, type Uid, type Vector } from "../../../core/storage.ts";
import { seeded } from "../../conformance/storage/random.ts";

const length = 8;

function layout(...indexes: readonly NearestIndex[]): Layout {
  return {
    types: [{ name: "Shape", fields: ["Shape.at"] }],
    fields: [{ name: "Shape.at", kind: "vector", list: false }],
    edges: [],
    indexes,
    keys: [],
  };
}
const by = (metric: Metric, more: Partial<NearestIndex> = {}): Layout =>
  layout({ name: "Shape.at/hnsw", field: "Shape.at", by: "nearest", metric, ...more });

let path: string;
let storage: Storage;
let version: number;
const pick = seeded(11);
const fresh = (): Vector => Float32Array.from({ length }, () => pick(2001) / 1000 - 1);
/** By uid. */
let vectors: Map<Uid, Vector>;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), "quern-nearest-"));
  vectors = new Map();
  await open();
});
afterEach(async () => {
  await storage.close();
  rmSync(path, { recursive: true, force: true });
});

async function open(): Promise<void> {
  storage = leveldbStorage({ path, durability: "os-crash-may-lose-commits" });
  await storage.open();
}

async function deploy(next: Layout, document = "schema"): Promise<void> {
  ({ version } = await storage.migrate(next, document));
}

async function add(count: number): Promise<void> {
  await storage.transact(
    async (transaction) => {
      const uids = await transaction.uids(count);
      for (const uid of uids) vectors.set(uid, fresh());
      await transaction.write(
        uids.map((uid): Change => ({ kind: "create", uid, type: "Shape", fields: { "Shape.at": vectors.get(uid) ?? fresh() } })),
      );
    },
    { version },
  );
}

/** The share of the ten nearest that searches find, over twenty questions. */
async function recall(metric: Metric): Promise<number> {
  let found = 0;
  for (let question = 0; question < 20; question++) {
    const vector = fresh();
    const snapshot = storage.snapshot({ version });
    const { uids } = await snapshot.find({ types: ["Shape"], nearest: { field: "Shape.at", metric, vector, count: 10 }, fields: [] });
    snapshot.close();
    const exact = [...vectors]
      .map(([uid, at]): readonly [Uid, number] => [uid, distanceOf(metric, vector, at)])
      .sort(([a, x], [b, y]) => x - y || a - b)
      .slice(0, 10);
    found += exact.filter(([uid]) => uids.includes(uid)).length;
  }
  return found / 200;
}

describe("a deploy", () => {
  it("builds the index of another metric, and counts it as work", async () => {
    await deploy(by("euclidean"));
    await add(3000);
    expect(await storage.compare(by("dotproduct"))).toEqual({ obstacles: [], work: ["build index Shape.at/hnsw over 3,000 nodes"] });
    await deploy(by("dotproduct"));
    expect(await recall("dotproduct")).toBeGreaterThan(0.9);
    expect((await storage.verify()).faults).toEqual([]);
  });

  it("that changes only the breadth of searches builds nothing", async () => {
    await deploy(by("euclidean"));
    await add(10);
    expect((await storage.compare(by("euclidean", { searchBreadth: 99 }))).work).toEqual([]);
  });

  it("lets others write while it builds, and has their vectors", async () => {
    await deploy(layout());
    await add(2500);
    const building = deploy(by("euclidean"));
    for (let i = 0; i < 10; i++) {
      await add(5);
      const [uid = 0] = vectors.keys();
      vectors.delete(uid);
      await storage.transact((transaction) => transaction.write([{ kind: "remove", uid, type: "Shape" }]), { version });
    }
    await building;
    expect(await recall("euclidean")).toBeGreaterThan(0.9);
    expect((await storage.verify()).faults).toEqual([]);
  });

  it("that is cut short leaves the old schema; the next one goes on and leaves no vector out", async () => {
    await deploy(layout(), "plain");
    await add(2500);
    let steps = 0;
    const progress = () => {
      if (++steps === 3) throw new Error("cut short");
    };
    await expect(storage.migrate(by("euclidean"), "indexed", { progress })).rejects.toThrow("cut short");
    await storage.close();
    await open();
    await deploy(layout(), "plain");
    expect(steps).toBeLessThan(2500 / 16);
    expect(await recall("euclidean")).toBe(1);
    await deploy(by("euclidean"), "indexed");
    expect(await recall("euclidean")).toBeGreaterThan(0.9);
    expect((await storage.verify()).faults).toEqual([]);
  });
});

describe("the graph", () => {
  it("keeps every node within reach while nodes come, move and go", async () => {
    await deploy(by("cosine"));
    for (let round = 0; round < 8; round++) {
      await add(120);
      const changes = [...vectors.keys()].flatMap((uid): readonly Change[] => {
        const what = pick(4);
        if (what === 0) vectors.delete(uid);
        if (what === 1) vectors.set(uid, fresh());
        if (what === 0) return [{ kind: "remove", uid, type: "Shape" }];
        return what === 1 ? [{ kind: "set", uid, type: "Shape", fields: { "Shape.at": vectors.get(uid) ?? fresh() } }] : [];
      });
      await storage.transact((transaction) => transaction.write(changes), { version });
      expect((await storage.verify()).faults).toEqual([]);
    }
    await storage.transact((transaction) => transaction.write([...vectors.keys()].map((uid): Change => ({ kind: "remove", uid, type: "Shape" }))), {
      version,
    });
    vectors.clear();
    await add(3);
    expect(await recall("cosine")).toBe((3 * 20) / 200);
    expect((await storage.verify()).faults).toEqual([]);
  });

  it("takes many equal vectors", async () => {
    await deploy(by("euclidean"));
    const same = fresh();
    await storage.transact(
      async (transaction) => {
        const uids = await transaction.uids(2600);
        await transaction.write(uids.map((uid): Change => ({ kind: "create", uid, type: "Shape", fields: { "Shape.at": same } })));
      },
      { version },
    );
    const snapshot = storage.snapshot({ version });
    const { uids } = await snapshot.find({
      types: ["Shape"],
      nearest: { field: "Shape.at", metric: "euclidean", vector: same, count: 10 },
      fields: [],
    });
    snapshot.close();
    expect(uids.length).toBe(10);
    expect((await storage.verify()).faults).toEqual([]);
  });

  it("is empty again after all data are erased", async () => {
    await deploy(by("euclidean"));
    await add(50);
    await storage.erase({ kind: "data" });
    vectors.clear();
    expect(await recall("euclidean")).toBe(0);
    await add(20);
    expect(await recall("euclidean")).toBe(1);
    await storage.erase({ kind: "field", name: "Shape.at" });
    expect((await storage.verify()).faults).toEqual([]);
  });
});
