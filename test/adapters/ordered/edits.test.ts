// Edits beside the blocks of ordered indexes, the chunks of columns and those of posting lists: what a commit writes, and that every reader, of any commit and after any restart,
// sees what whole values would show.

import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { Engine } from "../../../adapters/ordered/keyspaces/engine.ts";
import type { EntryView } from "../../../adapters/ordered/keyspaces/keyspace.ts";
import { maxBlockEdits } from "../../../adapters/ordered/structures/block-edits.ts";
import { Column, columnChunk, maxColumnEdits } from "../../../adapters/ordered/structures/column.ts";
import { OrderedIndex } from "../../../adapters/ordered/structures/ordered-index.ts";
import { endsOf } from "../../../adapters/ordered/structures/posting-list.ts";
import { maxHeldChanges, PostingLists } from "../../../adapters/ordered/structures/posting-lists.ts";
import type { SortKey } from "../../../adapters/ordered/structures/sort-keys.ts";
import type { ValueKind } from "../../../core/storage.ts";
import fc from "../../support/properties.ts";
import { MemoryStore } from "./memory-store.ts";

function opened(store: MemoryStore, kind: ValueKind = "string", cacheBytes = 2 ** 20) {
  const engine = new Engine(store, { cacheBytes, sync: false, nameOf: (key) => key });
  engine.start(0);
  let commits = 0;
  return {
    engine,
    index: new OrderedIndex(engine, "o", kind),
    lists: new PostingLists<string>(engine, { prefix: "p", textOf: (text) => text }),
    column: new Column(engine, { chunks: "v", edits: "w" }, kind === "string" ? "int" : kind),
    commit: () => engine.commit(++commits),
  };
}

type Opened = ReturnType<typeof opened>;

function entriesOf(index: OrderedIndex, view: EntryView): (readonly [SortKey, number])[] {
  const entries: (readonly [SortKey, number])[] = [];
  const all = index.open(view);
  all.forward(all.start(), all.end(), (uid, key) => entries.push([key, uid]) > 0);
  return entries;
}

/** The first letters of the keys that each batch writes; a deletion as a capital. */
function writtenTo(store: MemoryStore): string[][] {
  const written: string[][] = [];
  store.beforeBatch = (operations) =>
    void written.push(operations.map(({ type, key }) => (type === "put" ? key.slice(0, 2) : key.slice(0, 2).toUpperCase())));
  return written;
}

/** The first letters of the keys that are read from now on. */
function readsOf(store: MemoryStore): readonly string[] {
  const read: string[] = [];
  const getSync = store.getSync.bind(store);
  store.getSync = (key, view) => {
    read.push(key.slice(0, 2));
    return getSync(key, view);
  };
  return read;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const name = (i: number) => `name ${String(i).padStart(4, "0")}`;

/** An index of two blocks with even names, committed. */
async function filled(store: MemoryStore): Promise<Opened> {
  const all = opened(store);
  all.index.addAll(
    range(600).map((i) => ({ key: name(2 * i), uid: i + 1 })),
    all.engine.writer,
  );
  await all.commit();
  return all;
}

describe("a block of an ordered index", () => {
  it("is written once in many additions: the others write what the block gained", async () => {
    const store = new MemoryStore();
    const { index, engine, commit } = await filled(store);
    const written = writtenTo(store);
    for (const i of range(maxBlockEdits + 2)) {
      index.add(name(2 * i + 1), 1_000 + i, engine.writer);
      await commit();
    }
    expect(written).toEqual([...range(maxBlockEdits).map(() => ["oe"]), ["OE", "ob"], ["oe"]]);
  });

  it("is deleted with its edits", async () => {
    const store = new MemoryStore();
    const { index, engine, commit } = opened(store);
    for (const key of ["a", "b"]) {
      index.add(key, 1, engine.writer);
      await commit();
    }
    for (const key of ["a", "b"]) index.remove(key, 1, engine.writer);
    await commit();
    expect(await store.approximateSize({ from: "", to: "~" })).toBe(0);
  });

  it("is written whole when its edits would be long texts", async () => {
    const store = new MemoryStore();
    const { index, engine, commit } = await filled(store);
    const written = writtenTo(store);
    index.add("name x".padEnd(5_000, "x"), 9_000, engine.writer);
    await commit();
    expect(written).toEqual([["ob"]]);
  });

  it("shows each reader its own commit, before and after the edits are many", async () => {
    const store = new MemoryStore();
    // Without a cache every read goes to the store.
    const all = opened(store, "string", 0);
    const { index, engine, commit } = all;
    const readers: { readonly view: EntryView & { close(): void }; readonly entries: readonly (readonly [SortKey, number])[] }[] = [];
    for (const i of range(2 * maxBlockEdits + 5)) {
      index.add(name((i * 37) % 100), i + 1, engine.writer);
      if (i % 3 === 2) index.remove(name(((i - 2) * 37) % 100), i - 1, engine.writer);
      await commit();
      const view = engine.read();
      readers.push({ view, entries: entriesOf(index, engine.writer) });
      entriesOf(index, view);
    }
    for (const { view, entries } of readers) {
      expect(entriesOf(index, view)).toEqual(entries);
      view.close();
    }
  });

  it("never meets the edits of a lost block", async () => {
    const store = new MemoryStore();
    const { index, engine, commit } = await filled(store);
    index.add(name(1), 1_000, engine.writer);
    await commit();
    // The second block, which the store then misses.
    index.add(name(1_001), 1_001, engine.writer);
    await commit();
    const lost = ["oba1", "oba2"].filter((key) => store.getSync(key) !== undefined);
    expect(lost).toHaveLength(2);
    await store.batch(
      lost.map((key) => ({ type: "del", key })),
      { sync: false },
    );
    const again = opened(store);
    expect(() => again.index.add(name(7), 1, again.engine.writer)).toThrow(/cannot be read/);
    // As a repair sees it.
    const tolerant: EntryView = { ...again.engine.writer, damaged: () => undefined };
    expect(entriesOf(again.index, tolerant)).toEqual([]);
    again.index.add(name(7), 1, tolerant);
    again.index.add(name(1_101), 2, tolerant);
    await again.commit();
    const after = opened(store);
    expect(entriesOf(after.index, after.engine.writer)).toEqual([
      [name(7), 1],
      [name(1_101), 2],
    ]);
  });

  it("is no answer when its edits are damaged", async () => {
    const store = new MemoryStore();
    const { index, engine, commit } = await filled(store);
    index.add(name(1), 1_000, engine.writer);
    await commit();
    const edits = store.getSync("oea1");
    assert.ok(edits);
    await store.batch([{ type: "put", key: "oea1", value: edits.map((byte, i) => (i === 2 ? byte ^ 1 : byte)) }], { sync: false });
    const { index: again, engine: reader } = opened(store);
    assert.throws(() => entriesOf(again, reader.writer), { code: "STORE_CORRUPT" });
  });
});

describe("a chunk of a column", () => {
  it("is written once in many new values", async () => {
    const store = new MemoryStore();
    const { column, engine, commit } = opened(store);
    for (const uid of range(100)) column.set(uid, uid, engine.writer);
    await commit();
    const written = writtenTo(store);
    for (const uid of range(maxColumnEdits + 2)) {
      column.set(100 + uid, uid, engine.writer);
      await commit();
    }
    expect(written).toEqual([...range(maxColumnEdits).map(() => ["wa"]), ["WA", "va"], ["wa"]]);
  });

  it("comes with its edits when all chunks are scanned and when it is read ahead", async () => {
    const store = new MemoryStore();
    const { column, engine, commit } = opened(store, "int64");
    for (const uid of range(3 * columnChunk)) column.set(uid, BigInt(uid) << 33n, engine.writer);
    await commit();
    column.set(5, undefined, engine.writer);
    column.set(columnChunk + 5, -7n, engine.writer);
    await commit();
    const { column: fresh, engine: reader } = opened(store, "int64");
    const view = reader.read();
    await fresh.chunks.prefetch([0, 1, 2], view);
    const keys = [5, 6, columnChunk + 5].map((uid) => fresh.keyOf(uid, view));
    expect(keys).toEqual([undefined, 6n << 33n, -7n]);
    const scanned: (readonly [string, number])[] = [];
    for await (const [text, chunk] of fresh.chunks.scan(view)) scanned.push([text, chunk?.high[5] ?? 0]);
    expect(scanned).toEqual([
      ["a0", Number.NaN],
      ["a1", -1],
      ["a2", (2 * columnChunk + 5) * 2],
    ]);
    view.close();
  });
});

/** A list of eight chunks, each with edits beside it. */
async function edited(store: MemoryStore): Promise<Opened> {
  const all = opened(store);
  all.lists.addAll(
    "k",
    range(2_048).map((i) => 2 * i),
    all.engine.writer,
  );
  await all.commit();
  for (const i of range(maxHeldChanges + 1)) all.lists.remove("k", (i % 8) * 512 + 4 * Math.floor(i / 8), all.engine.writer);
  await all.commit();
  return all;
}

describe("a chunk of a posting list", () => {
  const evens = range(600).map((i) => 2 * i);

  it("is written once in many changes: the others write the head of the list, which holds them", async () => {
    const store = new MemoryStore();
    const { lists, engine, commit } = opened(store);
    lists.addAll("k", evens, engine.writer);
    await commit();
    const written = writtenTo(store);
    for (const i of range(maxHeldChanges + 2)) {
      if (i % 2 === 0) lists.remove("k", 2 * i, engine.writer);
      else lists.add("k", 2 * i - 1, engine.writer);
      await commit();
    }
    expect(written.map((keys) => keys.sort())).toEqual([...range(maxHeldChanges).map(() => ["ph"]), ["pc", "ph"], ["ph"]]);
  });

  it("gets edits where the head held few changes of it", async () => {
    const store = new MemoryStore();
    const { lists, engine, commit } = await edited(store);
    const cells = async () => (await store.cursor({ from: "p", to: "q" }).next(100)).map(([cell]) => cell.slice(0, 2));
    expect(await cells()).toEqual([...range(8).map(() => "pc"), "pd", ...range(8).map(() => "pe"), "ph"]);
    const uids = lists.open("k", engine.writer).all();
    // One more for each change that a chunk keeps beside it: it is written whole, and its edits are deleted.
    const more = range(maxHeldChanges + 1).map((i) => 4 * i + 2);
    for (const uid of more) lists.remove("k", uid, engine.writer);
    await commit();
    expect(await cells()).toEqual([...range(8).map(() => "pc"), "pd", ...range(7).map(() => "pe"), "ph"]);
    const again = opened(store);
    expect(again.lists.open("k", again.engine.writer).all()).toEqual(uids.filter((uid) => !more.includes(uid)));
  });

  it("is never shown empty behind the first one", async () => {
    const store = new MemoryStore();
    const { lists, engine, commit } = opened(store);
    lists.addAll("k", [...range(512), 10_000], engine.writer);
    await commit();
    lists.add("k", 9_999, engine.writer);
    lists.remove("k", 10_000, engine.writer);
    lists.remove("k", 9_999, engine.writer);
    await commit();
    const list = lists.open("k", engine.writer);
    expect(range(list.chunkCount).map((i) => list.chunk(i).length)).toEqual([256, 256]);
  });

  it("is not read to remove what it is known to have, and may be shown empty", async () => {
    const store = new MemoryStore();
    const filled = opened(store);
    filled.lists.addAll("k", range(768), filled.engine.writer);
    await filled.commit();
    const { lists, engine, commit } = opened(store);
    const reads = readsOf(store);
    for (const uid of [0, 300, 767]) lists.removeKnown("k", uid, engine.writer);
    expect(reads).toEqual(["ph"]);
    await commit();
    lists.addAll("k", [900], engine.writer);
    for (const uid of [...range(256).slice(1), ...range(767).slice(512)]) lists.removeKnown("k", uid, engine.writer);
    await commit();
    for (const each of [{ lists, engine }, opened(store)]) {
      const list = each.lists.open("k", each.engine.writer);
      expect({ all: list.all(), count: list.count, ends: endsOf(list) }).toEqual({
        all: [
          ...range(512)
            .slice(256)
            .filter((uid) => uid !== 300),
          900,
        ],
        count: 256,
        ends: [256, 900],
      });
    }
  });

  it("takes one read while its list has no edits", async () => {
    const store = new MemoryStore();
    const { lists, engine, commit } = opened(store);
    lists.addAll("k", evens, engine.writer);
    await commit();
    for (const uid of range(40)) {
      lists.add("k", 1_200 + uid, engine.writer);
      await commit();
    }
    // A count and a tail: what heads held before chunks had edits.
    expect(store.getSync("phk")?.[0]).toBe(2);
    const again = opened(store);
    const read = readsOf(store);
    expect(again.lists.open("k", again.engine.writer).all()).toEqual([...evens, ...range(40).map((uid) => 1_200 + uid)]);
    expect(read).toEqual(["ph", "pd", "pc", "pc", "pc"]);
  });

  it("never meets the edits of the list that was there before in the same batch", async () => {
    const store = new MemoryStore();
    const { lists, engine, commit } = await edited(store);
    lists.clear("k", engine.writer);
    lists.addAll("k", evens.slice(1), engine.writer);
    await commit();
    const again = opened(store);
    expect(again.lists.open("k", again.engine.writer).all()).toEqual(evens.slice(1));
    expect((await store.cursor({ from: "pe", to: "pf" }).next(10)).length).toBe(0);
  });

  it("is no answer when its edits are damaged", async () => {
    const store = new MemoryStore();
    await edited(store);
    const [edits] = await store.cursor({ from: "pe", to: "pf" }).next(1);
    assert.ok(edits);
    await store.batch([{ type: "put", key: edits[0], value: edits[1].map((byte, i) => (i === 1 ? byte ^ 1 : byte)) }], { sync: false });
    const again = opened(store);
    assert.throws(() => again.lists.open("k", again.engine.writer).all(), { code: "STORE_CORRUPT" });
  });

  it("shows each reader its own commit", async () => {
    // Without a cache every read goes to the store.
    const { lists, engine, commit } = opened(new MemoryStore(), "string", 0);
    lists.addAll("k", evens, engine.writer);
    await commit();
    const readers = [];
    for (const i of range(2 * maxHeldChanges + 5)) {
      if (i % 3 === 0) lists.remove("k", evens[(i * 37) % 600] ?? 0, engine.writer);
      else lists.add("k", ((i * 91) % 1_200) | 1, engine.writer);
      await commit();
      readers.push({ view: engine.read(), uids: lists.open("k", engine.writer).all() });
    }
    for (const { view, uids } of readers) {
      expect(lists.open("k", view).all()).toEqual(uids);
      view.close();
    }
  });
});

describe("any changes of a posting list, in any groups", () => {
  const few = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 3 });
  const step = fc.record({
    add: fc.boolean(),
    known: fc.boolean(),
    uids: fc.oneof({ weight: 5, arbitrary: few }, fc.array(fc.integer({ min: 1, max: 900 }), { minLength: maxHeldChanges, maxLength: 120 })),
    commit: fc.boolean(),
  });

  it("leave what a set would hold, also after a restart", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 200 }), fc.constantFrom(0, 2 ** 20), async (steps, cacheBytes) => {
        const store = new MemoryStore();
        const { lists, engine, commit } = opened(store, "string", cacheBytes);
        const held = new Set(range(500).map((i) => i + 100));
        lists.addAll("k", [...held], engine.writer);
        await commit();
        for (const { add, known, uids, commit: ends } of steps) {
          if (add && uids.length > 1) {
            lists.addAll(
              "k",
              [...new Set(uids)].sort((a, b) => a - b),
              engine.writer,
            );
            for (const uid of uids) held.add(uid);
          }
          for (const uid of uids) {
            if (!add && known && held.has(uid)) lists.removeKnown("k", uid, engine.writer);
            else expect(add ? lists.add("k", uid, engine.writer) : lists.remove("k", uid, engine.writer)).toBe(held.has(uid) !== add);
            if (add) held.add(uid);
            else held.delete(uid);
          }
          if (ends) await commit();
        }
        await commit();
        for (const each of [{ lists, engine }, opened(store, "string", cacheBytes)]) {
          const list = each.lists.open("k", each.engine.writer);
          expect(list.all()).toEqual([...held].sort((a, b) => a - b));
          expect(list.count).toBe(held.size);
          const ends = held.size === 0 ? undefined : [Math.min(...held), Math.max(...held)];
          expect(endsOf(list)).toEqual(ends);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("any changes, in any groups", () => {
  const texts = fc.constantFrom("", "a", "ab", "b", "é", "\u{1f600}", "zz".repeat(300));
  const step = fc.record({
    add: fc.boolean(),
    key: fc.oneof(texts, fc.nat(400).map(name)),
    uid: fc.integer({ min: 1, max: 600 }),
    commit: fc.boolean(),
  });

  it("leave what a sorted list and a map would hold, also after a restart", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 250 }), fc.constantFrom(0, 2 ** 20), async (steps, cacheBytes) => {
        const store = new MemoryStore();
        const { index, column, engine, commit } = opened(store, "string", cacheBytes);
        const entries = new Map<string, readonly [SortKey, number]>();
        const values = new Map<number, number>();
        for (const { add, key, uid, commit: ends } of steps) {
          const id = `${key}\0${uid}`;
          expect(add ? index.add(key, uid, engine.writer) : index.remove(key, uid, engine.writer)).toBe(entries.has(id) !== add);
          column.set(uid, add ? key.length : undefined, engine.writer);
          if (add) entries.set(id, [key, uid]);
          else entries.delete(id);
          if (add) values.set(uid, key.length);
          else values.delete(uid);
          if (ends) await commit();
        }
        await commit();
        const expected = [...entries.values()].sort(([a, x], [b, y]) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b))) || x - y);
        for (const each of [{ index, column, engine }, opened(store, "string", cacheBytes)]) {
          expect(entriesOf(each.index, each.engine.writer)).toEqual(expected);
          for (const uid of range(602)) expect(each.column.keyOf(uid, each.engine.writer)).toBe(values.get(uid));
        }
      }),
      { numRuns: 60 },
    );
  });
});
