// A walk of an ordered index visits its entries in the order of a read: by value in either direction, equal values by ascending uid.

import { describe, expect, it } from "vitest";
import { Engine } from "../../../adapters/ordered/keyspaces/engine.ts";
import { portionEntries, portionsOf, runsOf, spansOf, spansOfRun, type WalkOptions } from "../../../adapters/ordered/read/walk-spans.ts";
import { OrderedIndex } from "../../../adapters/ordered/structures/ordered-index.ts";
import type { OrderedView } from "../../../adapters/ordered/structures/ordered-view.ts";
import { MemoryStore } from "./memory-store.ts";

interface Entry {
  readonly key: number;
  readonly uid: number;
}

/** The index over entries with these keys; uids count from 1 in the order of a shuffle. */
async function indexOf(keys: readonly number[]): Promise<{ readonly entries: readonly Entry[]; readonly view: OrderedView }> {
  const engine = new Engine(new MemoryStore(), { cacheBytes: 2 ** 20, sync: false, nameOf: (key) => key });
  engine.start(0);
  const index = new OrderedIndex(engine, "o", "int");
  const entries = keys.map((key, i) => ({ key, uid: ((i * 7_919) % keys.length) + 1 })).sort((a, b) => a.key - b.key || a.uid - b.uid);
  index.addAll(entries, engine.writer);
  await engine.commit(1);
  return { entries, view: index.open(engine.writer) };
}

function walked(view: OrderedView, options: WalkOptions): number[] {
  const uids: number[] = [];
  for (const { from, to, isDown } of spansOf(view, options)) {
    if (isDown) view.backward(from, to, (uid) => uids.push(uid) > 0);
    else view.forward(from, to, (uid) => uids.push(uid) > 0);
  }
  return uids;
}

/** The same by portions, none of which is longer than a test that follows links allows. */
function walkedByPortions(view: OrderedView, options: WalkOptions): number[] {
  const uids: number[] = [];
  for (const span of spansOf(view, options)) {
    for (const { from, to, isDown } of portionsOf(view, span)) {
      const count = isDown ? view.backward(from, to, (uid) => uids.push(uid) > 0) : view.forward(from, to, (uid) => uids.push(uid) > 0);
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThanOrEqual(portionEntries);
    }
  }
  return uids;
}

/** The same by runs, each of which must hold one value alone. */
function walkedByRuns(view: OrderedView, options: WalkOptions): number[] {
  const uids: number[] = [];
  for (const run of runsOf(view, options)) {
    const keys = new Set<unknown>();
    for (const { from, to } of spansOfRun(view, run)) view.forward(from, to, (uid, key) => keys.add(key) && uids.push(uid) > 0);
    expect(keys.size).toBeLessThanOrEqual(1);
  }
  return uids;
}

/** From the start on: entries with its key and a uid from its own on, then those beyond. */
function expected(entries: readonly Entry[], { start, isDown }: WalkOptions): number[] {
  if (start === "nowhere") return [];
  const behind = entries.filter(
    ({ key, uid }) => start === "beginning" || (key === start.key ? uid >= start.uid : key > Number(start.key) !== isDown),
  );
  return behind.sort((a, b) => (isDown ? b.key - a.key : a.key - b.key) || a.uid - b.uid).map(({ uid }) => uid);
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const indexes: readonly (readonly [string, readonly number[]])[] = [
  ["no entry", []],
  ["one entry", [5]],
  ["distinct values in many blocks", range(2_000)],
  ["one value in many blocks", range(2_000).map(() => 5)],
  ["pairs of values", range(1_501).map((i) => i >> 1)],
  ["long runs that begin and end within blocks", range(3_000).map((i) => Math.floor(i / 700))],
  ["a long run between distinct values", range(3_000).map((i) => (i < 300 ? i : i < 2_500 ? 300 : i))],
];

describe.each(indexes)("an index with %s", (_, keys) => {
  it("is walked up and down, from its end and from any place", async () => {
    const { entries, view } = await indexOf(keys);
    const places = entries.filter((_, i) => i % 397 === 0 || i === entries.length - 1);
    const starts: readonly WalkOptions["start"][] = [
      "beginning",
      "nowhere",
      { key: -1, uid: 0 },
      { key: 10_000, uid: 0 },
      ...places.flatMap(({ key, uid }) => [0, uid, uid + 1, Number.POSITIVE_INFINITY].map((from) => ({ key, uid: from }))),
    ];
    for (const start of starts) {
      for (const isDown of [false, true]) {
        // Texts compare in no time.
        const all = expected(entries, { start, isDown }).join();
        expect(walked(view, { start, isDown }).join()).toBe(all);
        expect(walkedByPortions(view, { start, isDown }).join()).toBe(all);
        expect(walkedByRuns(view, { start, isDown }).join()).toBe(all);
      }
    }
  });
});

it("a walk ends where its visitor says so, within a run as well", async () => {
  const { entries, view } = await indexOf(range(600).map((i) => Math.floor(i / 3)));
  const [span] = spansOf(view, { start: "beginning", isDown: true });
  const uids: number[] = [];
  expect(span?.isDown).toBe(true);
  if (span !== undefined) expect(view.backward(span.from, span.to, (uid) => uids.push(uid) < 4)).toBe(4);
  expect(uids).toEqual(expected(entries, { start: "beginning", isDown: true }).slice(0, 4));
});

it("no span is longer than a block, so that a walk over one value can pause", async () => {
  const { view } = await indexOf(range(2_000).map(() => 5));
  const spans = [...spansOf(view, { start: "beginning", isDown: true })];
  expect(view.blockCount).toBeGreaterThan(3);
  expect(spans).toHaveLength(view.blockCount);
});
