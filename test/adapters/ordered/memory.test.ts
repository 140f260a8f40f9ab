// The toolkit on a store whose writing can be made to wait and to fail. The kit of storages runs on it with the stores of LevelDB and of examples.

import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import type { Snapshot, Storage, Transaction, Uid } from "../../../core/storage.ts";
import { library } from "../../conformance/storage/layouts.ts";
import { MemoryStore } from "./memory-store.ts";

const options = { cacheBytes: 1 << 20, sync: true, maxChanges: 1_000_000 };

async function opened(store: MemoryStore, maxChanges = options.maxChanges): Promise<{ readonly storage: Storage; readonly version: number }> {
  const storage = orderedStorage(store, { ...options, maxChanges });
  await storage.open();
  return { storage, version: (await storage.migrate(library, "")).version };
}

async function add(storage: Storage, version: number, count = 1): Promise<Uid> {
  const { result } = await storage.transact(
    async (transaction) => {
      const uids = await transaction.uids(count);
      await transaction.write(uids.map((uid) => ({ kind: "create", uid, type: "Post", fields: { "Post.title": "t" } })));
      return uids[0] ?? 0;
    },
    { version },
  );
  return result;
}

async function posts(storage: Storage, version: number): Promise<readonly Uid[]> {
  const snapshot = storage.snapshot({ version });
  const { uids } = await snapshot.find({ types: ["Post"], fields: [] });
  snapshot.close();
  return uids;
}

/** What the work of a durable transaction gives back, held by nothing but what the storage keeps. */
async function resultOf(storage: Storage, version: number): Promise<WeakRef<object>> {
  const { result } = await storage.transact(
    async (transaction) => {
      const [uid = 0] = await transaction.uids(1);
      await transaction.write([{ kind: "create", uid, type: "Post", fields: { "Post.title": "t" } }]);
      return { transaction };
    },
    { version },
  );
  return new WeakRef(result.transaction);
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  // A turn later: what a job has read through a `WeakRef` lives until the job ends.
  await new Promise((resolve) => setImmediate(resolve));
  if (typeof collect === "function") collect();
}

describe("kept commits", () => {
  it("hold nothing of their transactions", async () => {
    const { storage, version } = await opened(new MemoryStore());
    const before = storage.latest();
    const transactions = await Promise.all(Array.from({ length: 20 }, () => resultOf(storage, version)));
    // The newest one may still be in a register.
    await add(storage, version);
    await collectGarbage();
    const alive = transactions.filter((each) => each.deref() !== undefined);
    assert.ok(alive.length <= 1, `${alive.length} are held`);
    let records = 0;
    storage.changes(() => records++, before)();
    assert.equal(records, 21);
    await storage.close();
  });
});

it("shows nothing of a failed batch that the store holds, also when a transaction that still runs reads its nodes", async () => {
  const store = new MemoryStore();
  const storage = orderedStorage(store, { ...options, cacheBytes: 20_000 });
  await storage.open();
  const { version } = await storage.migrate(library, "");
  const uid = await add(storage, version);
  await add(storage, version, 500);
  const titles = (reads: Snapshot | Transaction, uids: readonly Uid[]) => reads.load({ uids, types: ["Post"], fields: ["Post.title"] });
  let failed = (): void => undefined;
  const failing = new Promise<void>((resolve) => (failed = resolve));
  store.afterBatch = () => {
    failed();
    throw new Error("the disk does not answer");
  };
  const set = storage.transact(
    async (transaction) => await transaction.write([{ kind: "set", uid, type: "Post", fields: { "Post.title": "new" } }]),
    { version },
  );
  const reading = storage.transact(
    async (transaction) => {
      await failing;
      // A turn later the storage knows. The others push the node out of the cache.
      await new Promise((resolve) => setImmediate(resolve));
      for (let other = uid + 1; other <= uid + 500; other++) await titles(transaction, [other]);
      await titles(transaction, [uid]);
    },
    { version },
  );
  await assert.rejects(set, { code: "OUTCOME_UNKNOWN" });
  await assert.rejects(reading, { code: "STORE_UNAVAILABLE" });
  const snapshot = storage.snapshot({ version });
  assert.deepEqual((await titles(snapshot, [uid])).columns, [["t"]]);
  snapshot.close();
  await storage.close();
});

describe("group commit", () => {
  it("commits transactions together that arrive during a batch, and resolves them after it", async () => {
    const store = new MemoryStore();
    const { storage, version } = await opened(store);
    let release = (): void => undefined;
    let batches = 0;
    store.beforeBatch = () => {
      batches++;
      return batches === 1 ? new Promise<void>((resolve) => (release = resolve)) : undefined;
    };
    const first = add(storage, version);
    while (batches === 0) await new Promise((resolve) => setImmediate(resolve));
    const later = Array.from({ length: 30 }, () => add(storage, version));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await posts(storage, version), [], "nothing shows before it is durable");
    release();
    await Promise.all([first, ...later]);
    assert.equal(batches, 2);
    assert.equal((await posts(storage, version)).length, 31);
    await storage.close();
  });

  it("fails transactions that build on a failed commit; acknowledged data stay readable", async () => {
    const store = new MemoryStore();
    const { storage, version } = await opened(store);
    const kept = await add(storage, version);
    let fail = (_: Error): void => undefined;
    let failing = false;
    store.beforeBatch = () => {
      failing = true;
      return new Promise((_, reject) => (fail = reject));
    };
    const handedOver = assert.rejects(add(storage, version), { code: "OUTCOME_UNKNOWN" });
    while (!failing) await new Promise((resolve) => setImmediate(resolve));
    const builtOnIt = assert.rejects(add(storage, version), { code: "STORE_UNAVAILABLE" });
    await new Promise((resolve) => setImmediate(resolve));
    fail(new Error("no space left"));
    await handedOver;
    await builtOnIt;
    assert.deepEqual(await posts(storage, version), [kept]);
    await assert.rejects(add(storage, version), { code: "STORE_UNAVAILABLE" });
    store.beforeBatch = () => undefined;
    await storage.close();
    await storage.open();
    await storage.migrate(library, "");
    const next = await add(storage, version);
    assert.deepEqual(await posts(storage, version), [kept, next]);
    assert.deepEqual((await storage.verify()).faults, []);
    await storage.close();
  });
});

it("the next write reopens the store when `canReopen` allows it; readers wait, and listeners get a gap", async () => {
  const store = Object.assign(new MemoryStore(), { canReopen: async () => true });
  const { storage, version } = await opened(store);
  const kept = await add(storage, version);
  const events: string[] = [];
  storage.changes((event) => events.push(event.kind));
  store.beforeBatch = () => Promise.reject(new Error("no space left"));
  await assert.rejects(add(storage, version), { code: "OUTCOME_UNKNOWN" });
  store.beforeBatch = () => undefined;
  const reader = storage.snapshot({ version });
  const adding = add(storage, version);
  await new Promise((resolve) => setImmediate(resolve));
  const late = posts(storage, version);
  assert.deepEqual((await reader.find({ types: ["Post"], fields: [] })).uids, [kept]);
  reader.close();
  const next = await adding;
  assert.ok(next > kept);
  assert.deepEqual((await late).slice(0, 1), [kept]);
  assert.deepEqual(await posts(storage, version), [kept, next]);
  assert.deepEqual(events, ["gap", "detailed"]);
  assert.deepEqual((await storage.verify()).faults, []);
  await storage.close();
});

it("refuses a transaction that exceeds its bound, and stores nothing of it", async () => {
  const { storage, version } = await opened(new MemoryStore(), 100);
  await add(storage, version, 100);
  await assert.rejects(add(storage, version, 101), { code: "TOO_LARGE" });
  assert.equal((await posts(storage, version)).length, 100);
  await storage.close();
});

it("returns cached data synchronously", async () => {
  const { storage, version } = await opened(new MemoryStore());
  const uid = await add(storage, version);
  const reads = () => {
    const snapshot = storage.snapshot({ version });
    const answers = [
      snapshot.load({ uids: [uid], types: ["Post"], fields: ["Post.title"] }),
      snapshot.find({ types: ["Post"], fields: [] }),
      snapshot.follow({ from: [uid], end: "Post.tagged", fields: [] }),
      snapshot.aggregate({ over: { types: ["Post"] }, measures: [{ kind: "count" }] }),
    ];
    snapshot.close();
    return answers.map((answer) => "then" in answer);
  };
  // The first run of a function may take a whole turn of a busy machine, after which a snapshot pauses.
  await expect.poll(reads).toEqual([false, false, false, false]);
  await storage.close();
});

it("maintains structures under construction although the sweep of an earlier deploy ends during the build", async () => {
  const store = new MemoryStore();
  const { storage, version } = await opened(store);
  await add(storage, version, 5_000);
  let sweeps = (): void => undefined;
  store.beforeBatch = (operations) => {
    if (operations.every((operation) => operation.type === "del")) return new Promise<void>((resolve) => (sweeps = resolve));
  };
  const without = { ...library, indexes: library.indexes.filter((index) => index.field !== "Post.title") };
  const deployed = await storage.migrate(without, "without titles");
  let building = true;
  const migration = storage
    .migrate(library, "with titles", {
      progress() {
        store.beforeBatch = () => undefined;
        sweeps();
      },
    })
    .finally(() => {
      building = false;
    });
  while (building) await add(storage, deployed.version).catch((reason) => assert.equal(reason.code, "STALE_LAYOUT"));
  const { version: last } = await migration;
  const all = await posts(storage, last);
  assert.ok(all.length > 5_010, "some came meanwhile");
  const snapshot = storage.snapshot({ version: last });
  const where = { kind: "compare", field: "Post.title", op: "eq", operands: ["t"] } as const;
  assert.deepEqual((await snapshot.find({ types: ["Post"], where, fields: [] })).uids, all);
  snapshot.close();
  assert.deepEqual((await storage.verify()).faults, []);
  await storage.close();
});
