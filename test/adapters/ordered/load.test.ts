// Loads of links on ordered stores: sorted runs in memory and on the disk, uids of any size, and what a kill leaves.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, onTestFinished } from "vitest";
import { Scratch } from "../../../adapters/ordered/build/scratch.ts";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { SortedPairs } from "../../../adapters/ordered/load/sorted-pairs.ts";
import type { Link, Uid } from "../../../core/storage.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { seeded } from "../../conformance/storage/random.ts";
import { MemoryStore } from "./memory-store.ts";

const options = { cacheBytes: 1 << 20, sync: true, maxChanges: 1_000_000 };

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "quern-load-test-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function sorted(pairs: readonly (readonly [Uid, Uid])[], spillEvery: number): Promise<readonly string[]> {
  const place = await folder();
  const scratch = new Scratch(place);
  const gathered = new SortedPairs(scratch);
  for (const [i, [key, uid]] of pairs.entries()) {
    gathered.add(key, uid);
    if (i % spillEvery === spillEvery - 1) await gathered.spill();
  }
  if (pairs.length >= spillEvery) assert.ok(readdirSync(join(place, "scratch")).length > 0);
  const found: string[] = [];
  for await (const { keys, uids, length } of gathered.merged()) for (let i = 0; i < length; i++) found.push(`${keys[i]} ${uids[i]}`);
  await scratch.remove();
  assert.equal(existsSync(join(place, "scratch")), false);
  return found;
}

it.each([
  ["small uids in memory", 2 ** 20, 200_000, Number.POSITIVE_INFINITY],
  ["small uids on the disk", 2 ** 20, 50_000, 7_000],
  ["uids of 53 bits", 2 ** 53 - 1, 50_000, 20_000],
])("gives pairs back in ascending order: %s", async (_, range, count, spillEvery) => {
  const pick = seeded(7);
  const pairs = Array.from(
    { length: count },
    () => [1 + pick(Math.min(range, 2 ** 31)) * Math.max(1, Math.floor(range / 2 ** 31)), 1 + pick(99)] as const,
  );
  const expected = pairs.toSorted(([a, x], [b, y]) => a - b || x - y).map(([key, uid]) => `${key} ${uid}`);
  assert.deepEqual(await sorted(pairs, spillEvery), expected);
});

it("leaves nothing of a load that a kill ended amid its lists, and the next start frees their room", async () => {
  const store = new MemoryStore();
  const bench = new Bench(orderedStorage(store, options));
  await bench.storage.open();
  await bench.deploy(library);
  const [a = 0] = await bench.create("Author", [{}]);
  const posts = await bench.create(
    "Post",
    Array.from({ length: 5_000 }, () => ({})),
  );
  const links: Link[] = posts.map((from) => ({ kind: "link", end: "Post.author", from, fromType: "Post", to: a, toType: "Author" }));
  const entriesBefore = store.size;
  let left: MemoryStore | undefined;
  async function* read(): AsyncGenerator<readonly Link[]> {
    yield links;
  }
  const progress = () => {
    left = store.copy();
  };
  assert.equal(await bench.storage.loadLinks?.({ version: bench.version, links: read(), progress }), true);
  await bench.storage.close();
  assert.ok(left !== undefined && left.size > entriesBefore, "the kill comes when lists are written");
  const after = new Bench(orderedStorage(left, options));
  await after.storage.open();
  await after.deploy(library);
  assert.deepEqual(await after.partners("Author.posts", a), []);
  assert.deepEqual((await after.storage.verify()).faults, []);
  assert.equal(await after.storage.loadLinks?.({ version: after.version, links: read() }), true);
  assert.deepEqual(await after.partners("Author.posts", a), posts);
  await after.storage.close();
  assert.equal(left.size, store.size, "nothing is left of the first load");
});
