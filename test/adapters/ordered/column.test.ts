// Columns hold numbers in the form that fits. What is read from them is what was written, to the last digit.

import assert from "node:assert/strict";
import { it } from "vitest";
import { orderedStorage, type StoreView } from "../../../adapters/ordered/index.ts";
import type { FieldName, Layout, Stored, Value } from "../../../core/storage.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { MemoryStore } from "./memory-store.ts";
import { storageOptions, withBench } from "./with-bench.ts";

const date = (second: number, rest = "") => new Date(Date.UTC(2024, 0, 1, 0, 0, second)).toISOString().replace(".000Z", `${rest}Z`);

/** Ascending. Neighbours are further apart than 32 bits of a float tell, or not. */
const cases: readonly (readonly [what: string, field: FieldName, values: readonly Value[]])[] = [
  ["integers that 24 bits hold", "Post.rank", [-3, 0, 1, 16_777_216]],
  ["integers of 32 bits", "Post.rank", [-(2 ** 31), -16_777_217, -16_777_216, 0, 16_777_216, 16_777_217, 2 ** 31 - 1]],
  ["floats", "Post.score", [-1e300, -0.1, 0.1, 0.5, 0.500_000_000_000_000_1, 16_777_217, 1e300]],
  ["floats that 24 bits hold", "Post.score", [-0.5, 0, 0.25, 3]],
  ["long integers", "Post.big", [-(2n ** 63n), -(2n ** 53n) - 1n, -1n, 0n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n]],
  ["dates without and with nanoseconds", "Post.at", [date(1), date(2), date(2, ".000000001"), date(2, ".999999999"), date(3)]],
  ["dates without nanoseconds", "Post.at", [date(1), date(2), date(3)]],
];

it.each(cases)("orders and measures %s as they were written, read from the store, and after one has changed", async (_, field, values) => {
  const store = new MemoryStore();
  const reversed = values.toReversed();
  const uids = await withBench(store, async (bench) => {
    await bench.deploy(library);
    return await bench.create("Post", [{}, ...reversed.map((value): Readonly<Record<string, Stored>> => ({ [field]: value }))]);
  });
  const check = async (expected: readonly Value[]) =>
    await withBench(store, async (bench) => {
      await bench.deploy(library);
      const batch = await bench.read((snapshot) =>
        snapshot.find({ types: ["Post"], where: { kind: "has", field }, order: [{ field, direction: "asc" }], fields: [field] }),
      );
      assert.deepEqual(batch.columns[0], expected);
      for (const value of expected) {
        const above = await bench.find("Post", { kind: "compare", field, op: "gt", operands: [value] });
        assert.equal(above.length, expected.length - 1 - expected.indexOf(value));
      }
      assert.deepEqual((await bench.storage.verify()).faults, []);
    });
  await check(values);
  await withBench(store, async (bench) => {
    await bench.deploy(library);
    const lowest = uids[1 + reversed.indexOf(values[0] ?? 0)] ?? 0;
    await bench.write((transaction) => transaction.write([{ kind: "set", uid: lowest, type: "Post", fields: { [field]: null } }]));
  });
  await check(values.slice(1));
});

const sized: Layout = {
  types: [{ name: "Boat", fields: ["Boat.size"] }],
  fields: [{ name: "Boat.size", kind: "int", list: false }],
  edges: [],
  indexes: [{ name: "Boat.size/value", field: "Boat.size", by: "value", ordered: true }],
  keys: [],
};

it("measures nodes that are spread over all chunks without a read, in a cache of fourteen bytes a node", async () => {
  let reads = 0;
  class CountingStore extends MemoryStore {
    override getSync(key: string, view?: StoreView): Uint8Array | undefined {
      reads++;
      return super.getSync(key, view);
    }
  }
  const count = 15_000;
  const storage = orderedStorage(new CountingStore(), { ...storageOptions, cacheBytes: 14 * count });
  await storage.open();
  const bench = new Bench(storage);
  await bench.deploy(sized);
  const uids = await bench.create(
    "Boat",
    Array.from({ length: count }, (_, i) => ({ "Boat.size": (i * 7_919) % 1_000_003 })),
  );
  const spread = uids.filter((_, i) => i % 150 === 0);
  const measure = async () => {
    const over = { types: ["Boat"], where: { kind: "uids" as const, uids: spread } };
    return await bench.read((snapshot) => snapshot.aggregate({ over, measures: [{ kind: "max", field: "Boat.size" }] }));
  };
  const first = await measure();
  await measure();
  reads = 0;
  for (let i = 0; i < 5; i++) assert.deepEqual(await measure(), first);
  assert.equal(reads, 0);
  await storage.close();
});
