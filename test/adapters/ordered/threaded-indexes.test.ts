// Indexes that another thread builds while a load goes on. Here it runs in the thread of the spec, on a store in memory that both see: what they send each
// other is the same, and the spec says when each goes on.

import assert from "node:assert/strict";
import { it, onTestFinished } from "vitest";
import { type OrderedStore, orderedStorage, type StoreCursor } from "../../../adapters/ordered/index.ts";
import type { IndexThread, Storage, Uid } from "../../../core/storage.ts";
import { Bench } from "../../conformance/storage/kit.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { MemoryStore } from "./memory-store.ts";

const options = { cacheBytes: 16 << 20, sync: true, maxChanges: 1_000_000 };

class SharedStore extends MemoryStore {
  /** Called when the other side has read all nodes that were there. */
  whenRead: () => void = nothing;

  follower(): OrderedStore {
    const cursor = (...args: Parameters<OrderedStore["cursor"]>): StoreCursor => this.#watched(this.cursor(...args));
    const others: Partial<OrderedStore> = { cursor, close: async () => undefined };
    return new Proxy(this, { get: (store, name) => Reflect.get(others, name) ?? bound(store, Reflect.get(store, name)) });
  }

  #watched(inner: StoreCursor): StoreCursor {
    const next = async (count: number) => {
      const entries = await inner.next(count);
      if (entries.length === 0 && count > 1) this.whenRead();
      return entries;
    };
    return { next, close: () => inner.close() };
  }
}

function bound(store: MemoryStore, member: unknown): unknown {
  return typeof member === "function" ? member.bind(store) : member;
}

interface Loading {
  readonly bench: Bench;
  readonly storage: Storage;
  /** Resolves when the other side has ended. */
  readonly other: Promise<void>;
}

/** A load whose indexes are built beside it. */
async function loading(
  store: SharedStore,
  before: (bench: Bench) => void | Promise<void> = nothing,
  runs?: (data: unknown) => Promise<void>,
): Promise<Loading> {
  const storage = orderedStorage(store, options);
  const bench = new Bench(storage);
  await storage.open();
  onTestFinished(() => storage.close());
  await bench.deploy(library, "document", { deferIndexes: true });
  await before(bench);
  let other = Promise.resolve();
  const start = (data: unknown): IndexThread => {
    other = runs === undefined ? otherSide(store, data) : runs(data);
    return { ended: other, end: async () => undefined };
  };
  assert.equal(await storage.indexThreads?.begin(start), true);
  return { bench, storage, other };
}

async function otherSide(store: SharedStore, data: unknown): Promise<void> {
  await orderedStorage(store, options).indexThreads?.run(data, library);
}

const posts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({
    "Post.code": `code ${from + i}`,
    "Post.title": `t${i % 7}`,
    "Post.text": `word${i % 50} and word${(i * 31) % 400}`,
    "Post.score": (i * 7919) % 1_003,
    "Post.rank": i % 11,
    "Post.big": BigInt(i) << 40n,
    "Post.tags": [`a${i % 3}`, `b${i % 5}`],
  }));

const eachPost = { "Post.title": "t1", "Post.text": "another text", "Post.rank": 5, "Post.score": 3.5 };

/** Ends the load. @returns the steps of the migration, whose entries were verified */
async function finished({ bench, storage }: Loading): Promise<string> {
  const steps = new Set<string>();
  await bench.deploy(library, "document", { progress: ({ what }) => void steps.add(what) });
  assert.deepEqual((await storage.verify()).faults, []);
  return [...steps].join("; ");
}

const takenOver = /^\d+ indexes, built beside the load$/;
const builtHere = /entries of index Post.text\/words/;

async function change(bench: Bench, uids: readonly Uid[]): Promise<void> {
  await bench.write((transaction) => transaction.write(uids.map((uid) => ({ kind: "set", uid, type: "Post", fields: eachPost }))));
}

it("takes over indexes that were built beside a load, of nodes from before it, of many commits and of several types", async () => {
  const store = new SharedStore();
  const load = await loading(store, async (bench) => void (await bench.create("Post", posts(300))));
  for (let from = 300; from < 5_300; from += 1_000) await load.bench.create("Post", posts(1_000, from));
  await load.bench.create("Author", [{ "Author.name": "Ann", "Author.age": 30 }]);
  assert.match(await finished(load), takenOver);
  const ofWord = await load.bench.find("Post", { kind: "compare", field: "Post.rank", op: "in", operands: [5] });
  assert.ok(ofWord.length > 400);
});

it("indexes nodes that the load changes or removes after the other thread has read them by their last record", async () => {
  const store = new SharedStore();
  const isRead = new Promise<void>((resolve) => {
    store.whenRead = resolve;
  });
  let uids: readonly Uid[] = [];
  const load = await loading(store, async (bench) => {
    uids = await bench.create("Post", posts(1_500));
  });
  await isRead;
  await change(load.bench, uids.slice(100, 200));
  await load.bench.write((transaction) => transaction.write([{ kind: "remove", uid: uids[150] ?? 0, type: "Post" }]));
  assert.match(await finished(load), takenOver);
  assert.equal((await load.bench.find("Post", { kind: "compare", field: "Post.score", op: "in", operands: [3.5] })).length, 99);
});

it("indexes nodes that are created when the other thread writes already", async () => {
  const load = await loading(new SharedStore());
  await load.bench.create("Post", posts(500));
  await load.bench.storage.loadLinks?.({ version: load.bench.version, links: none() });
  await load.bench.create("Post", posts(500, 500));
  assert.match(await finished(load), takenOver);
});

it("builds the indexes anew where a node changes when the other thread writes already, as its entries may be of either record", async () => {
  const load = await loading(new SharedStore());
  const uids = await load.bench.create("Post", posts(500));
  await load.bench.storage.loadLinks?.({ version: load.bench.version, links: none() });
  await load.bench.write(() => undefined);
  await change(load.bench, uids.slice(0, 5));
  assert.match(await finished(load), builtHere);
});

it("builds the indexes itself where the other thread fails, or ends without a word", async () => {
  for (const other of [async () => undefined, async () => await Promise.reject(new Error("out of memory"))]) {
    const load = await loading(new SharedStore(), nothing, () => other().catch(nothing));
    await load.bench.create("Post", posts(500));
    assert.match(await finished(load), builtHere);
  }
});

it("builds the indexes itself for another schema, and frees the room of those that were built beside the load", async () => {
  const store = new SharedStore();
  const load = await loading(store);
  await load.bench.create("Post", posts(600));
  const [first, ...others] = library.indexes;
  await load.bench.deploy({ ...library, indexes: others }, "another document");
  assert.deepEqual((await load.storage.verify()).faults, []);
  assert.ok(first !== undefined);
  await load.other;
});

it("leaves nothing of a load that a kill ended while the other thread wrote, and the next start builds the indexes", async () => {
  const store = new SharedStore();
  const load = await loading(store);
  await load.bench.create("Post", posts(800));
  const left: MemoryStore[] = [];
  store.afterBatch = () => {
    if (left.length < 3) left.push(store.copy());
  };
  assert.match(await finished(load), takenOver);
  assert.equal(left.length, 3);
  for (const each of left) {
    const after = new Bench(orderedStorage(each, options));
    await after.storage.open();
    await after.deploy(library);
    assert.deepEqual((await after.storage.verify()).faults, []);
    await after.storage.close();
  }
});

it("ends the other thread when the store closes amid a load", async () => {
  const load = await loading(new SharedStore());
  await load.bench.create("Post", posts(600));
  await load.storage.close();
  await load.other;
});

it("begins nothing where no index is deferred", async () => {
  const storage = orderedStorage(new SharedStore(), options);
  await storage.open();
  onTestFinished(() => storage.close());
  const bench = new Bench(storage);
  const never = () => assert.fail("there is nothing to build");
  assert.equal(await storage.indexThreads?.begin(never), false);
  await bench.deploy(library);
  assert.equal(await storage.indexThreads?.begin(never), false);
  for (const { name } of library.types) await bench.create(name, [{}]);
  await bench.deploy(library, "document", { deferIndexes: true });
  assert.equal(await storage.indexThreads?.begin(never), false);
});

async function* none(): AsyncGenerator<never> {}

const nothing = () => undefined;
