// The storage kit on the storage in memory. What persistence means is left out: a store that ends with its process has no crash to survive, and no second
// process that opens it.

import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../adapters/memory/index.ts";
import { MemoryStore } from "../../../adapters/memory/memory-store.ts";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { storageConformance } from "../../conformance/index.ts";
import { FaultyStore } from "../../support/faulty-store.ts";

const patienceMs = 180_000;

describe("the storage in memory", () => {
  storageConformance({
    test: (name, run) => it(name, run, patienceMs),
    create: async () => memoryStorage(),
    faults: async () => {
      const store = new FaultyStore(new MemoryStore());
      return { storage: orderedStorage(store), writes: store.writes };
    },
  });
});

describe("a store in memory", () => {
  const bytes = (text: string) => Buffer.from(text);

  it("orders keys by their bytes in UTF-8, and not by UTF-16 units", async () => {
    const store = new MemoryStore();
    await store.open();
    // A surrogate pair, which is the smaller one in UTF-16.
    const keys = ["\u{10000}", "\uffff"];
    await store.batch(keys.map((key) => ({ type: "put", key, value: bytes(key) })));
    const cursor = store.cursor({ from: "", to: "\u{10ffff}" });
    expect((await cursor.next(10)).map(([key]) => key)).toEqual(["\uffff", "\u{10000}"]);
    await cursor.close();
    await store.close();
  });

  it("keeps bytes of its own: who reuses a buffer changes nothing that is stored", async () => {
    const store = new MemoryStore();
    await store.open();
    const value = bytes("first");
    await store.batch([{ type: "put", key: "k", value }]);
    value.write("later");
    expect(Buffer.from(store.getSync("k") ?? []).toString()).toBe("first");
    await store.close();
  });

  it("has its data after it was closed and opened again, and another store has none of them", async () => {
    const store = new MemoryStore();
    await store.open();
    await store.batch([{ type: "put", key: "k", value: bytes("v") }]);
    await store.close();
    await store.open();
    const other = new MemoryStore();
    await other.open();
    expect([store.getSync("k")?.byteLength, other.getSync("k")]).toEqual([1, undefined]);
    await Promise.all([store.close(), other.close()]);
  });
});
