// What loads and builds read and commit, counted on a store in memory: keys that are new cost no read, records are read in walks.

import assert from "node:assert/strict";
import { it, onTestFinished } from "vitest";
import type { StoreView } from "../../../adapters/ordered/index.ts";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { KeyFilter } from "../../../adapters/ordered/keyspaces/key-filter.ts";
import type { MigrateOptions } from "../../../core/storage.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { MemoryStore } from "./memory-store.ts";

class CountingStore extends MemoryStore {
  reads = 0;

  override getSync(key: string, view?: StoreView): Uint8Array | undefined {
    this.reads++;
    return super.getSync(key, view);
  }
}

const options = { cacheBytes: 16 << 20, sync: true, maxChanges: 1_000_000 };

async function deployed(store: MemoryStore, migration?: MigrateOptions): Promise<Bench> {
  const bench = new Bench(orderedStorage(store, options));
  await bench.storage.open();
  onTestFinished(() => bench.storage.close());
  await bench.deploy(library, "document", migration);
  return bench;
}

const posts = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ "Post.code": `code ${from + i}`, "Post.title": `t${i % 7}` }));

it("reads nothing for the keys of new nodes while an empty store is loaded, and refuses one that is taken", async () => {
  const store = new CountingStore();
  const bench = await deployed(store, { deferIndexes: true });
  await bench.create("Post", posts(100));
  store.reads = 0;
  await bench.create("Post", posts(1_000, 100));
  assert.ok(store.reads < 60, `${store.reads} reads for a thousand new keys`);
  await assert.rejects(bench.create("Post", posts(1, 99)), { code: "KEY_TAKEN" });
  await assert.rejects(bench.create("Post", posts(1, 1_099)), { code: "KEY_TAKEN" });
  await bench.deploy(library);
  await assert.rejects(bench.create("Post", posts(1, 500)), { code: "KEY_TAKEN" });
  assert.deepEqual((await bench.storage.verify()).faults, []);
});

it("finds keys of before when a load goes on with a store that has nodes", async () => {
  const store = new CountingStore();
  const before = await deployed(store, { deferIndexes: true });
  await before.create("Post", posts(50));
  const again = await deployed(store.copy(), { deferIndexes: true });
  await assert.rejects(again.create("Post", posts(1, 20)), { code: "KEY_TAKEN" });
  await again.create("Post", posts(50, 50));
  assert.deepEqual((await again.storage.verify()).faults, []);
});

it("finds a key again that was given up during a load", async () => {
  const bench = await deployed(new MemoryStore(), { deferIndexes: true });
  const [uid = 0] = await bench.create("Post", posts(1));
  await bench.write((transaction) => transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.code": "another" } }]));
  const [next = 0] = await bench.create("Post", posts(1));
  assert.deepEqual(await bench.find("Post", { kind: "compare", field: "Post.code", op: "in", operands: ["code 0"] }), [next]);
  assert.deepEqual((await bench.storage.verify()).faults, []);
});

it("builds an index from records that it reads in walks, and commits nothing where nothing is written", async () => {
  const store = new CountingStore();
  const bench = await deployed(store, { deferIndexes: true });
  for (let from = 0; from < 8_000; from += 2_000) await bench.create("Post", posts(2_000, from));
  // Others between them: some parts are dense, some are not.
  await bench.create(
    "Author",
    Array.from({ length: 4_000 }, (_, i) => ({ "Author.name": `a${i}` })),
  );
  await bench.create("Post", posts(300, 8_000));
  await bench.storage.close();
  const loaded = await deployed(store, { deferIndexes: true });
  const title = library.indexes.filter(({ field, by }) => field !== "Post.title" || by === "compound");
  assert.equal(title.length, library.indexes.length - 1);
  store.reads = 0;
  store.syncs = 0;
  await loaded.deploy({ ...library, indexes: library.indexes.filter(({ field, by }) => field === "Post.title" && by === "value") });
  // On a busy machine some slices of 256 come before their walk, and read their records one by one.
  assert.ok(store.reads < 2_000, `${store.reads} reads for 12,300 records`);
  assert.ok(store.syncs < 30, `${store.syncs} batches`);
  assert.deepEqual((await loaded.storage.verify()).faults, []);
  const found = await loaded.find("Post", { kind: "compare", field: "Post.title", op: "in", operands: ["t3"] });
  assert.equal(
    found.length,
    posts(2_000).filter((each) => each["Post.title"] === "t3").length * 4 + posts(300).filter((each) => each["Post.title"] === "t3").length,
  );
});

it("knows each key that was added, whatever the number, and few others", () => {
  const filter = new KeyFilter();
  const nameOf = (i: number) => `=key ${i.toString(36)}`;
  // More than one part has room for.
  for (let i = 0; i < 300_000; i++) assert.ok(filter.add(nameOf(i)));
  for (let i = 0; i < 300_000; i++) if (!filter.mayHave(nameOf(i))) assert.fail(nameOf(i));
  let taken = 0;
  for (let i = 300_000; i < 310_000; i++) if (filter.mayHave(nameOf(i))) taken++;
  assert.ok(taken < 400, `${taken} of 10,000 new keys are taken for known ones`);
});

it("keeps no commits of a load for those who listen later: they get a gap, and the commits from the end of the load on", async () => {
  const bench = await deployed(new MemoryStore());
  const kindsAfter = (token: string) => {
    const kinds: string[] = [];
    bench.storage.changes(({ kind }) => void kinds.push(kind), token)();
    return kinds;
  };
  const before = bench.storage.latest();
  await bench.create("Author", [{}]);
  assert.deepEqual(kindsAfter(before), ["detailed"]);
  await bench.deploy(library, "document", { deferIndexes: true });
  const begun = bench.storage.latest();
  const heard: string[] = [];
  const leave = bench.storage.changes(({ kind }) => void heard.push(kind));
  await bench.create("Post", posts(1));
  leave();
  assert.deepEqual(heard, ["detailed"], "who listens already hears of each commit");
  assert.deepEqual([kindsAfter(before), kindsAfter(begun)], [["gap"], ["gap"]]);
  await bench.deploy(library);
  const ended = bench.storage.latest();
  await bench.create("Post", posts(1, 1));
  assert.deepEqual(kindsAfter(ended), ["detailed"]);
});
