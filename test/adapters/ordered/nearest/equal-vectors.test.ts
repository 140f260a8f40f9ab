// Equal vectors, as those of empty texts are, must not all be linked to one node: every insertion would then read and write its list.

import { afterEach, beforeEach, expect, it } from "vitest";
import { orderedStorage } from "../../../../adapters/ordered/index.ts";
import type { Change, Layout, Storage } from "../../../../core/storage.ts";
import { MemoryStore } from "../memory-store.ts";

const layout: Layout = {
  types: [{ name: "Text", fields: ["Text.topic"] }],
  fields: [{ name: "Text.topic", kind: "vector", list: false }],
  edges: [],
  indexes: [{ name: "Text.topic/hnsw", field: "Text.topic", by: "nearest", metric: "cosine" }],
  keys: [],
};
/** A node has up to 32 links in the lowest layer and 16 in each other one; each takes at most two bytes here. */
const longestLinks = 200;

let storage: Storage;
let version: number;
let longest: number;

beforeEach(async () => {
  longest = 0;
  const store = new MemoryStore();
  store.beforeBatch = (operations) => {
    for (const operation of operations)
      if (operation.type === "put" && /^x\w+\/l/.test(operation.key)) longest = Math.max(longest, operation.value.length);
  };
  storage = orderedStorage(store, { cacheBytes: 1 << 24 });
  await storage.open();
  ({ version } = await storage.migrate(layout, "schema"));
});
afterEach(() => storage.close());

async function add(vectors: readonly Float32Array[]): Promise<void> {
  await storage.transact(
    async (transaction) => {
      const uids = await transaction.uids(vectors.length);
      await transaction.write(
        uids.map((uid, i): Change => ({ kind: "create", uid, type: "Text", fields: { "Text.topic": vectors[i] ?? new Float32Array() } })),
      );
    },
    { version },
  );
}

it("links each of many equal vectors with few others, and reaches all", async () => {
  await add(Array.from({ length: 300 }, () => Float32Array.of(1, 2, 3, 4)));
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(longestLinks);
  expect((await storage.verify()).faults).toEqual([]);
});

it("does so when every third vector is the same one", async () => {
  await add(Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? Float32Array.of(1, 2, 3, 4) : Float32Array.of(i % 7, i % 11, i % 13, i % 17))));
  expect(longest).toBeLessThan(longestLinks);
  expect((await storage.verify()).faults).toEqual([]);
});
