// Posting lists, case by case: how a list grows out of one cell into chunks, how chunks are cut, and what is left when uids go.
// Each case looks at the list before its commit, and at what a store that is opened anew finds.

import { describe, expect, it } from "vitest";
import { Engine } from "../../../adapters/ordered/keyspaces/engine.ts";
import { emptyList } from "../../../adapters/ordered/structures/posting-list.ts";
import { PostingLists, tailSize } from "../../../adapters/ordered/structures/posting-lists.ts";
import { gallop, lowerBound } from "../../../adapters/ordered/structures/sorted-uids.ts";
import { MemoryStore } from "./memory-store.ts";

type Lists = PostingLists<string>;
type Step = (lists: Lists, engine: Engine) => void;

const key = "k";
const range = (from: number, to: number, step = 1): number[] => Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

const one =
  (...uids: readonly number[]): Step =>
  (lists, { writer }) => {
    for (const uid of uids) expect(lists.add(key, uid, writer), `add ${uid}`).toBe(true);
  };
const again =
  (...uids: readonly number[]): Step =>
  (lists, { writer }) => {
    for (const uid of uids) expect(lists.add(key, uid, writer), `add ${uid} again`).toBe(false);
  };
const all =
  (uids: readonly number[]): Step =>
  (lists, { writer }) =>
    lists.addAll(key, [...uids], writer);
const remove =
  (...uids: readonly number[]): Step =>
  (lists, { writer }) => {
    for (const uid of uids) expect(lists.remove(key, uid, writer), `remove ${uid}`).toBe(true);
  };
const miss =
  (...uids: readonly number[]): Step =>
  (lists, { writer }) => {
    for (const uid of uids) expect(lists.remove(key, uid, writer), `remove ${uid}, which is not there`).toBe(false);
  };
const clear: Step = (lists, { writer }) => lists.clear(key, writer);

function opened(store: MemoryStore, inlineSize?: number): { readonly engine: Engine; readonly lists: Lists } {
  const engine = new Engine(store, { cacheBytes: 2 ** 20, sync: false, nameOf: (key) => key });
  engine.start(0);
  return {
    engine,
    lists: new PostingLists<string>(engine, { prefix: "p", textOf: (text) => text, ...(inlineSize !== undefined && { inlineSize }) }),
  };
}

interface Shape {
  readonly uids: readonly number[];
  /** Lengths of the chunks, and the bound of each. */
  readonly chunks: readonly number[];
  readonly bounds: readonly number[];
}

function assertShape({ lists, engine }: ReturnType<typeof opened>, { uids, chunks, bounds }: Shape): void {
  const { writer } = engine;
  const list = lists.open(key, writer);
  expect(list.all()).toEqual(uids);
  expect({ count: list.count, counted: lists.count(key, writer) }).toEqual({ count: uids.length, counted: uids.length });
  expect(range(0, list.chunkCount - 1).map((i) => list.chunk(i).length)).toEqual(chunks);
  expect(range(0, list.chunkCount - 1).map((i) => list.boundOf(i))).toEqual(bounds);
  expect([list.boundOf(list.chunkCount), list.chunk(list.chunkCount)]).toEqual([Number.POSITIVE_INFINITY, []]);
  const there = new Set(uids);
  const asked = range(0, (uids.at(-1) ?? 0) + 2);
  for (const uid of [...asked, ...asked.toReversed()]) {
    if (list.contains(uid) !== there.has(uid) || lists.has(key, uid, writer) !== there.has(uid))
      expect.fail(`${uid} is ${there.has(uid) ? "" : "not "}there`);
  }
  for (const [i, bound] of bounds.entries()) {
    expect(list.chunkFor(bound), `the chunk of ${bound}`).toBe(i);
    if (i > 0) expect(list.chunkFor(bound - 1), `the chunk of ${bound - 1}`).toBe(i - 1);
  }
}

const evens = (count: number) => range(2, 2 * count, 2);

const cases: readonly (readonly [string, readonly Step[], Shape])[] = [
  ["nothing", [], { uids: [], chunks: [], bounds: [] }],
  ["one uid", [one(7), again(7)], { uids: [7], chunks: [1], bounds: [0] }],
  ["uids in any order", [one(5, 1, 9, 3), again(1, 9)], { uids: [1, 3, 5, 9], chunks: [4], bounds: [0] }],
  ["255 in one cell", [one(...range(1, 255))], { uids: range(1, 255), chunks: [255], bounds: [0] }],
  ["256 in one cell", [one(...range(1, 256)), again(1, 256)], { uids: range(1, 256), chunks: [256], bounds: [0] }],
  ["the 257th at the end: a full chunk stays behind", [one(...range(1, 257))], { uids: range(1, 257), chunks: [256, 1], bounds: [0, 257] }],
  ["the 257th at the front: halves", [one(...range(2, 257)), one(1)], { uids: range(1, 257), chunks: [128, 129], bounds: [0, 129] }],
  [
    "the 257th in the middle: halves",
    [all(evens(256)), one(101), again(101)],
    { uids: [...evens(50), 101, ...range(102, 512, 2)], chunks: [128, 129], bounds: [0, 256] },
  ],
  ["256 at once", [all(range(1, 256))], { uids: range(1, 256), chunks: [256], bounds: [0] }],
  ["257 at once", [all(range(1, 257))], { uids: range(1, 257), chunks: [256, 1], bounds: [0, 257] }],
  ["512 at once", [all(range(1, 512)), again(256, 257)], { uids: range(1, 512), chunks: [256, 256], bounds: [0, 257] }],
  ["513 at once", [all(range(1, 513))], { uids: range(1, 513), chunks: [256, 256, 1], bounds: [0, 257, 513] }],
  ["one at once, twice", [all([4]), all([4])], { uids: [4], chunks: [1], bounds: [0] }],
  ["many at once that are there already", [all(range(1, 300)), all(range(200, 300))], { uids: range(1, 300), chunks: [256, 44], bounds: [0, 257] }],
  [
    "many at once behind the last",
    [all(range(1, 257)), all(range(258, 600))],
    { uids: range(1, 600), chunks: [256, 256, 88], bounds: [0, 257, 513] },
  ],
  [
    "many at once before the first",
    [all(range(1_000, 1_256)), all(range(1, 3))],
    { uids: [1, 2, 3, ...range(1_000, 1_256)], chunks: [256, 3, 1], bounds: [0, 1_253, 1_256] },
  ],
  [
    "many at once into every chunk",
    [all(evens(768)), all(range(1, 1_535, 2))],
    { uids: range(1, 1_536), chunks: [256, 256, 1, 256, 256, 256, 255], bounds: [0, 257, 513, 514, 770, 1_026, 1_282] },
  ],
  [
    "a uid into a full first chunk: halves",
    [all(evens(512)), one(3)],
    { uids: [2, 3, ...range(4, 1_024, 2)], chunks: [128, 129, 256], bounds: [0, 256, 514] },
  ],
  [
    "a uid at the end of a full first chunk",
    [all(evens(512)), one(513)],
    { uids: [...evens(256), 513, ...range(514, 1_024, 2)], chunks: [256, 1, 256], bounds: [0, 513, 514] },
  ],
  ["a uid behind a full last chunk", [all(evens(512)), one(1_026)], { uids: evens(513), chunks: [256, 256, 1], bounds: [0, 514, 1_026] }],
  [
    "a uid into a full last chunk",
    [all(evens(512)), one(515)],
    { uids: [...evens(257), 515, ...range(516, 1_024, 2)], chunks: [256, 128, 129], bounds: [0, 514, 768] },
  ],
  [
    "a full tail behind the chunks",
    [all(range(1, 256)), one(...range(257, 288)), again(257, 288)],
    { uids: range(1, 288), chunks: [256, 32], bounds: [0, 257] },
  ],
  [
    "one more than a tail holds: a chunk",
    [all(range(1, 256)), one(...range(257, 290))],
    { uids: range(1, 290), chunks: [256, 33, 1], bounds: [0, 257, 290] },
  ],
  [
    "a tail in any order",
    [all(range(1, 256)), one(300, 320, 310), again(310)],
    { uids: [...range(1, 256), 300, 310, 320], chunks: [256, 3], bounds: [0, 300] },
  ],
  [
    "a uid between the chunks and the tail",
    [all(range(1, 256)), one(300, 280), again(280, 300)],
    { uids: [...range(1, 256), 280, 300], chunks: [256, 1, 1], bounds: [0, 280, 300] },
  ],
  [
    "many at once into chunks and tail",
    [all(evens(200)), all(evens(290)), one(590), all([3, 585, 588, 590, 600])],
    { uids: [2, 3, ...range(4, 580, 2), 585, 588, 590, 600], chunks: [256, 1, 36, 2], bounds: [0, 512, 514, 590] },
  ],
  [
    "without some of the tail",
    [all(range(1, 256)), one(300, 310, 320), remove(300, 320), miss(300, 305, 320)],
    { uids: [...range(1, 256), 310], chunks: [256, 1], bounds: [0, 310] },
  ],
  ["without the tail", [all(range(1, 256)), one(300, 310), remove(310, 300)], { uids: range(1, 256), chunks: [256], bounds: [0] }],
  ["the tail alone", [all(range(1, 256)), one(300, 310), remove(...range(1, 256))], { uids: [300, 310], chunks: [0, 2], bounds: [0, 300] }],
  ["nothing after chunks and tail", [all(range(1, 256)), one(300, 310), remove(...range(1, 256), 310, 300)], { uids: [], chunks: [], bounds: [] }],
  ["without the only one", [one(7), remove(7), miss(7)], { uids: [], chunks: [], bounds: [] }],
  [
    "without the first, the last, and one that was not there",
    [one(1, 2, 3, 4), remove(1, 4), miss(1, 4, 9)],
    { uids: [2, 3], chunks: [2], bounds: [0] },
  ],
  [
    "without the first of a chunk: its bound stays",
    [all(range(1, 512)), remove(257), miss(257)],
    { uids: [...range(1, 256), ...range(258, 512)], chunks: [256, 255], bounds: [0, 257] },
  ],
  ["the first of a chunk again", [all(range(1, 512)), remove(257), one(257)], { uids: range(1, 512), chunks: [256, 256], bounds: [0, 257] }],
  [
    "without the last of a chunk",
    [all(range(1, 512)), remove(256, 512), miss(256, 512, 600)],
    { uids: [...range(1, 255), ...range(257, 511)], chunks: [255, 255], bounds: [0, 257] },
  ],
  ["without the last chunk", [all(range(1, 300)), remove(...range(257, 300))], { uids: range(1, 256), chunks: [256], bounds: [0] }],
  [
    "without a chunk in the middle",
    [all(range(1, 768)), remove(...range(257, 512))],
    { uids: [...range(1, 256), ...range(513, 768)], chunks: [256, 256], bounds: [0, 513] },
  ],
  [
    "a chunk in the middle again",
    [all(range(1, 768)), remove(...range(257, 512)), one(300)],
    { uids: [...range(1, 256), 300, ...range(513, 768)], chunks: [256, 1, 256], bounds: [0, 300, 513] },
  ],
  [
    "without the first chunk, which stays empty",
    [all(range(1, 300)), remove(...range(1, 256))],
    { uids: range(257, 300), chunks: [0, 44], bounds: [0, 257] },
  ],
  [
    "the first chunk again",
    [all(range(1, 300)), remove(...range(1, 256)), one(5)],
    { uids: [5, ...range(257, 300)], chunks: [1, 44], bounds: [0, 257] },
  ],
  ["without all of several chunks", [all(range(1, 600)), remove(...range(1, 600))], { uids: [], chunks: [], bounds: [] }],
  ["all of several chunks, and then one", [all(range(1, 600)), remove(...range(1, 600)), one(3)], { uids: [3], chunks: [1], bounds: [0] }],
  ["forgotten, of one cell", [one(1, 2), clear], { uids: [], chunks: [], bounds: [] }],
  ["forgotten, of several chunks", [all(range(1, 600)), clear, clear], { uids: [], chunks: [], bounds: [] }],
];

describe("a posting list", () => {
  it.each(cases)("is divided as its steps ask: %s", async (_, steps, shape) => {
    const store = new MemoryStore();
    const writing = opened(store);
    for (const step of steps) step(writing.lists, writing.engine);
    assertShape(writing, shape);
    await writing.engine.commit(1);
    assertShape(opened(store), shape);
    const cells = await store.cursor({ from: "p", to: "q" }).next(100);
    if (shape.uids.length === 0) expect(cells.map(([name]) => name)).toEqual([]);
  });

  it.each(cases)("is divided alike with a commit after each step: %s", async (_, steps, shape) => {
    const store = new MemoryStore();
    const { engine, lists } = opened(store);
    for (const [i, step] of steps.entries()) {
      step(lists, engine);
      await engine.commit(i + 1);
    }
    assertShape(opened(store), shape);
  });
});

it("appends to a long list by rewriting its head alone, until the tail is full", async () => {
  const store = new MemoryStore();
  const { engine, lists } = opened(store);
  lists.addAll(key, range(1, 600), engine.writer);
  await engine.commit(1);
  const written: string[][] = [];
  store.beforeBatch = (operations) => void written.push(operations.map((each) => each.key.slice(0, 2)));
  for (let i = 1; i <= tailSize + 1; i++) {
    lists.add(key, 600 + i, engine.writer);
    await engine.commit(1 + i);
  }
  expect(written).toEqual([...range(1, tailSize).map(() => ["ph"]), ["pc", "ph"]]);
});

it("takes the room of one entry in the cache, however often commits replace it", async () => {
  const { engine, lists } = opened(new MemoryStore());
  lists.addAll(key, range(1, 200), engine.writer);
  await engine.commit(1);
  const { bytes } = engine.cache;
  for (let i = 1; i <= 1_000; i++) {
    if (i % 2 === 1) lists.add(key, 201, engine.writer);
    else lists.remove(key, 201, engine.writer);
    await engine.commit(1 + i);
  }
  expect({ bytes: engine.cache.bytes, aged: engine.cache.aged }).toEqual({ bytes, aged: 0 });
});

it("returns a short list, and undefined for a list with chunks", () => {
  const { lists, engine } = opened(new MemoryStore());
  expect(lists.short(key, engine.writer)).toEqual([]);
  lists.addAll(key, range(1, 256), engine.writer);
  expect(lists.short(key, engine.writer)).toEqual(range(1, 256));
  lists.add(key, 257, engine.writer);
  expect(lists.short(key, engine.writer)).toBeUndefined();
});

describe("lists that are short up to four uids", () => {
  const cases: readonly (readonly [string, readonly Step[], Shape])[] = [
    ["four in one cell", [one(1, 2, 3, 4)], { uids: range(1, 4), chunks: [4], bounds: [0] }],
    ["an appended fifth in the tail", [one(1, 2, 3, 4, 5)], { uids: range(1, 5), chunks: [4, 1], bounds: [0, 5] }],
    ["an inserted fifth in the chunk", [one(2, 4, 6, 8, 5)], { uids: [2, 4, 5, 6, 8], chunks: [5], bounds: [0] }],
    ["many at once in one chunk", [all(range(1, 100))], { uids: range(1, 100), chunks: [100], bounds: [0] }],
    ["a full tail in the only chunk", [one(...range(1, 40))], { uids: range(1, 40), chunks: [37, 3], bounds: [0, 38] }],
    ["back to four", [one(...range(1, 6)), remove(1, 6)], { uids: range(2, 5), chunks: [3, 1], bounds: [0, 5] }],
    ["to none", [one(...range(1, 6)), remove(...range(1, 6))], { uids: [], chunks: [], bounds: [] }],
  ];
  it.each(cases)("are divided as their steps ask: %s", async (_name, steps, shape) => {
    const store = new MemoryStore();
    const { lists, engine } = opened(store, 4);
    for (const step of steps) step(lists, engine);
    assertShape({ lists, engine }, shape);
    await engine.commit(1);
    assertShape(opened(store, 4), shape);
  });

  it("read longer ones of before, which get chunks when they grow", async () => {
    const store = new MemoryStore();
    const before = opened(store);
    before.lists.addAll(key, evens(10), before.engine.writer);
    await before.engine.commit(1);
    const removed = opened(store, 4);
    assertShape(removed, { uids: evens(10), chunks: [10], bounds: [0] });
    removed.lists.remove(key, 20, removed.engine.writer);
    assertShape(removed, { uids: evens(9), chunks: [9], bounds: [0] });
    const grown = opened(store, 4);
    grown.lists.add(key, 21, grown.engine.writer);
    assertShape(grown, { uids: [...evens(10), 21], chunks: [10, 1], bounds: [0, 21] });
  });
});

it("separates the lists of two keys when one is a prefix of the other", () => {
  const { lists, engine } = opened(new MemoryStore());
  lists.addAll("a", range(1, 600), engine.writer);
  lists.addAll("ab", range(5, 7), engine.writer);
  lists.clear("a", engine.writer);
  expect([lists.open("a", engine.writer).all(), lists.open("ab", engine.writer).all()]).toEqual([[], [5, 6, 7]]);
});

it("reads a list without a head as empty", () => {
  expect([emptyList.count, emptyList.chunkCount, emptyList.all(), emptyList.contains(1), emptyList.boundOf(0)]).toEqual([
    0,
    0,
    [],
    false,
    Number.POSITIVE_INFINITY,
  ]);
});

describe("positions in an ascending list", () => {
  const uids = [2, 4, 6, 8, 10, 12, 14];
  it.each([
    [1, 0, 0],
    [2, 0, 0],
    [3, 0, 1],
    [14, 0, 6],
    [15, 0, 7],
    [2, 3, 3],
    [9, 3, 4],
    [15, 7, 7],
  ])("%i from %i on is at %i", (value, start, position) => {
    expect(lowerBound(uids, value, start)).toBe(position);
    expect(gallop(uids, value, start)).toBe(position);
  });

  it("are found in a part of it", () => {
    expect([lowerBound(uids, 13, 0, 3), lowerBound(uids, 4, 0, 3), lowerBound(uids, 6, 1, 2), lowerBound([], 1)]).toEqual([3, 1, 2, 0]);
  });
});
