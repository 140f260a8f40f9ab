// A store of an earlier format, written by the last version that had it, opens on every ordered store: upgraded in place, whole, and at any point of an
// interruption.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { LevelStore } from "../../../adapters/level/level-store.ts";
import { type OrderedStore, orderedStorage, type StoreOperation } from "../../../adapters/ordered/index.ts";
import { upgrade } from "../../../adapters/ordered/upgrade.ts";
import { createKernel } from "../../../core/index.ts";
import type { MigrationStep } from "../../../core/storage.ts";
import { LmdbStore } from "../../../examples/lmdb-store/lmdb-store.ts";
import { MemoryStore as ExampleStore } from "../../../examples/memory-store/memory-store.ts";
import { MemoryStore } from "../ordered/memory-store.ts";
import { temporaryFolder } from "./folders.ts";
import { ask, kept } from "./formats/boats.ts";

const earlierFormats = [1, 2, 3] as const;
type EarlierFormat = (typeof earlierFormats)[number];

function entriesOf(format: EarlierFormat): readonly StoreOperation[] {
  const lines = gunzipSync(readFileSync(new URL(`./formats/store-${format}.ndjson.gz`, import.meta.url)))
    .toString("utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const [key, value] = JSON.parse(line);
    return { type: "put", key, value: Buffer.from(value, "base64") };
  });
}

const entries = { 1: entriesOf(1), 2: entriesOf(2), 3: entriesOf(3) };

async function fill(store: OrderedStore, format: EarlierFormat = 1): Promise<void> {
  await store.open();
  await store.batch(entries[format], { sync: true });
}

async function contentsOf(store: OrderedStore): Promise<ReadonlyMap<string, string>> {
  const cursor = store.cursor({ from: "", to: "\u{10ffff}" });
  const contents = new Map<string, string>();
  for (;;) {
    const some = await cursor.next(1_000);
    if (some.length === 0) break;
    for (const [key, value] of some) contents.set(key, Buffer.from(value).toString("hex"));
  }
  await cursor.close();
  return contents;
}

const everyBoat = `{ queryBoat { name kind note title length crew tonnes launched sails colours place { latitude longitude } shape harbour { code } } }`;

/** Asks for every value, through every kind of index, and for the faults of the store. */
async function assertWhole(store: OrderedStore): Promise<void> {
  const storage = orderedStorage(store);
  const kernel = createKernel({ storage, plugins: standardPlugins(), log: { level: "silent" } });
  await kernel.open();
  try {
    const { queryBoat } = await ask(kernel, everyBoat);
    assert.ok(Array.isArray(queryBoat));
    expect(new Map(queryBoat.map((boat) => [boat.name, comparable(boat)]))).toEqual(
      new Map([...kept].map(([name, boat]) => [name, comparable(boat)])),
    );
    const having = (holds: (boat: Readonly<Record<string, unknown>>) => boolean) => [...kept.values()].filter(holds).length;
    expect(
      await ask(
        kernel,
        `{
          ketches: aggregateBoat(filter: { kind: { eq: "ketch" } }) { count }
          even: aggregateBoat(filter: { note: { allofterms: "even keel" } }) { count }
          numbered: aggregateBoat(filter: { note: { regexp: "/number 3\\\\d$/" } }) { count }
          long: aggregateBoat(filter: { length: { gt: 100 } }) { count lengthMax }
          red: aggregateBoat(filter: { colours: { eq: "red" } }) { count }
          first: queryBoat(order: { asc: launched }, first: 2) { name }
          named: getBoat(name: "boat 7") { title sisters { name } }
          near: queryBoat(filter: { place: { near: { coordinate: { latitude: 0.5, longitude: 0.25 }, distance: 10 } } }, first: 1) { name }
          nearest: querySimilarBoatByEmbedding(by: shape, topK: 1, vector: [0, 0, 0]) { name }
          atZero: getHarbour(code: "port 0") { boatsAggregate { count } }
          sister: getBoat(name: "boat 0") { sistersAggregate { count } }
        }`,
      ),
    ).toEqual({
      ketches: { count: having(({ kind }) => kind === "ketch") },
      even: { count: having(({ note }) => String(note).startsWith("even")) },
      numbered: { count: having(({ note }) => /number 3\d$/.test(String(note))) },
      long: { count: having(({ length }) => Number(length) > 100), lengthMax: Math.max(...[...kept.values()].map(({ length }) => Number(length))) },
      red: { count: having(({ colours }) => Array.isArray(colours) && colours.includes("red")) },
      first: [{ name: "boat 0" }, { name: "boat 1" }],
      named: { title: kept.get("boat 7")?.title, sisters: [{ name: "boat 0" }] },
      near: [{ name: "boat 0" }],
      nearest: [{ name: "boat 0" }],
      atZero: { boatsAggregate: { count: having(({ harbour }) => JSON.stringify(harbour) === '{"code":"port 0"}') } },
      sister: { sistersAggregate: { count: 0 } },
    });
    await ask(kernel, 'mutation { addBoat(input: [{ name: "late", note: "even keel, new", crew: 3, length: 5 }]) { numUids } }');
    await ask(kernel, 'mutation { deleteBoat(filter: { name: { eq: "late" } }) { numUids } }');
    expect((await storage.verify()).faults).toEqual([]);
  } finally {
    await kernel.close();
  }
}

/** Vectors are 32-bit floats; dates are instants; lists of the API have no order of their own. */
function comparable({ shape, launched, colours, ...rest }: Readonly<Record<string, unknown>>) {
  const numbers = Array.isArray(shape) ? shape.map((each) => Math.fround(Number(each))) : shape;
  return { ...rest, shape: numbers, launched: Date.parse(String(launched)), colours: new Set(Array.isArray(colours) ? colours : []) };
}

const stores: readonly (readonly [name: string, () => Promise<OrderedStore>])[] = [
  ["LevelDB", async () => new LevelStore(await temporaryFolder(), { blockCacheBytes: 1 << 20 })],
  ["LMDB", async () => new LmdbStore(await temporaryFolder())],
  ["the sorted map of the example", async () => new ExampleStore()],
];

describe.each(earlierFormats)("a store of format %d", (format) => {
  it.each(stores)("opens on %s with every value, link and index", async (_name, make) => {
    const store = await make();
    await fill(store, format);
    await store.close();
    await assertWhole(store);
    await assertWhole(store);
  });
});

describe.each([2, 3] as const)("a store of format %d", (format) => {
  it("changes only its number, and is refused by an older program from then on", async () => {
    const store = new MemoryStore();
    await fill(store, format);
    const before = await contentsOf(store);
    const storage = orderedStorage(store);
    await storage.open();
    await storage.close();
    expect(JSON.parse(Buffer.from(store.getSync("c/") ?? []).toString())).toEqual({ format: 4 });
    expect(await contentsOf(store)).toEqual(new Map([...before, ["c/", Buffer.from('{"format":4}').toString("hex")]]));
  });
});

describe("a store of format 2", () => {
  it("goes on with the upgrade of format 1 that a version of format 2 left", async () => {
    const store = new MemoryStore();
    await fill(store);
    let batches = 0;
    store.beforeBatch = () => {
      if (batches++ === 2) throw new Error("killed");
    };
    await assert.rejects(upgrade(store, { sliceBytes: 40_000 }));
    store.beforeBatch = () => undefined;
    await store.batch([{ type: "put", key: "c/", value: Buffer.from('{"format":2}') }], { sync: true });
    await assertWhole(store);
    expect(JSON.parse(Buffer.from(store.getSync("c/") ?? []).toString())).toEqual({ format: 4 });
  });
});

describe("a store of format 1", () => {
  it("reports its progress, once", async () => {
    const store = new MemoryStore();
    await fill(store);
    const steps: MigrationStep[] = [];
    const storage = orderedStorage(store);
    await storage.open({ progress: (step) => void steps.push(step) });
    const { what, done, total } = steps.at(-1) ?? {};
    expect({ what, whole: done === total }).toEqual({ what: "upgrade of the store", whole: true });
    await storage.close();
    const told = steps.length;
    await storage.open({ progress: (step) => void steps.push(step) });
    await storage.close();
    expect(steps).toHaveLength(told);
  });

  it("goes on where an upgrade was interrupted, before and after each of its batches", async () => {
    const sliceBytes = 40_000;
    const whole = new MemoryStore();
    await fill(whole);
    await upgrade(whole, { sliceBytes });
    const expected = await contentsOf(whole);
    let interruptions = 0;
    for (let last = 0; ; last++) {
      const store = new MemoryStore();
      await fill(store);
      let batches = 0;
      store.beforeBatch = () => {
        if (batches++ === last) throw new Error("killed");
      };
      const killed = await upgrade(store, { sliceBytes }).then(
        () => false,
        () => true,
      );
      if (!killed) break;
      interruptions++;
      store.beforeBatch = () => undefined;
      await upgrade(store, { sliceBytes });
      expect(await contentsOf(store)).toEqual(expected);
    }
    assert.ok(interruptions > 5, `${interruptions} interruptions`);
    await assertWhole(whole);
  });

  it("is refused by an older program from the first batch of its upgrade on", async () => {
    const store = new MemoryStore();
    await fill(store);
    let batches = 0;
    store.beforeBatch = () => {
      if (batches++ === 1) throw new Error("killed");
    };
    await assert.rejects(upgrade(store));
    // Such a program reads this property, and refuses another number than its own.
    expect(JSON.parse(Buffer.from(store.getSync("c/") ?? []).toString())).toEqual({ format: 4 });
    expect(store.getSync("h/")).toBeUndefined();
  });
});

describe("a store of a later format", () => {
  it("is refused in one sentence, and stays as it is", async () => {
    const store = new MemoryStore();
    await store.batch([{ type: "put", key: "c/", value: Buffer.from('{"format":5}') }], { sync: true });
    const before = await contentsOf(store);
    await assert.rejects(orderedStorage(store).open(), {
      code: "STORE_CORRUPT",
      message: "the store has format 5, this version reads formats 1 to 4",
    });
    expect(await contentsOf(store)).toEqual(before);
  });
});

describe("a new store", () => {
  it("has the number of its format from its first commit on", async () => {
    const store = new MemoryStore();
    const storage = orderedStorage(store);
    onTestFinished(() => storage.close());
    await storage.open();
    expect(await contentsOf(store)).toEqual(new Map());
    await storage.transact((transaction) => transaction.setMeta("note", 1), { version: 0 });
    expect(Buffer.from(store.getSync("c/") ?? []).toString()).toBe('{"format":4}');
  });

  it("is damaged when its number or its newest commit is lost", async () => {
    for (const key of ["c/", "a/h"]) {
      const store = new MemoryStore();
      const storage = orderedStorage(store);
      await storage.open();
      await storage.transact((transaction) => transaction.setMeta("note", 1), { version: 0 });
      await storage.close();
      await store.batch([{ type: "del", key }], { sync: true });
      await assert.rejects(storage.open(), { code: "STORE_CORRUPT" });
    }
  });
});
