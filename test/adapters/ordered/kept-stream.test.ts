// What is cached of a list that several lists are merged for: each of its chunks once, and the whole when all of them are there.

import { expect, it } from "vitest";
import { KeptChunks, type KeptList, streamOfKept } from "../../../adapters/ordered/read/kept-stream.ts";
import { type Stream, unionOf } from "../../../adapters/ordered/read/stream.ts";
import { PostingList } from "../../../adapters/ordered/structures/posting-list.ts";

const chunkSize = 256;

/** A posting list of these uids, which counts the chunks that are read. */
function listOf(uids: readonly number[], reads: number[]): Stream {
  const chunks = new Map<number, readonly number[]>();
  for (let start = 0; start < uids.length; start += chunkSize) chunks.set(start === 0 ? 0 : (uids[start] ?? 0), uids.slice(start, start + chunkSize));
  return new PostingList(uids.length, [...chunks.keys()], (bound) => {
    reads.push(bound);
    return chunks.get(bound) ?? [];
  });
}

const multiplesOf = (step: number, below: number) => Array.from({ length: Math.floor((below - 1) / step) }, (_, i) => (i + 1) * step);

/** Lists of unlike lengths that share uids. */
const lists = [multiplesOf(2, 4_000), multiplesOf(3, 4_000), multiplesOf(7, 2_000), [1, 3_999]];
const expected = [...new Set(lists.flat())].sort((a, b) => a - b);

function kept() {
  const reads: number[] = [];
  const whole: KeptList[] = [];
  let counted = 0;
  const chunks = new KeptChunks({ keep: (uids) => (counted += uids.length), whole: (list) => whole.push(list) });
  /** Each reader opens the lists anew. */
  const open = () => chunks.of(unionOf(lists.map((uids) => listOf(uids, reads))));
  return { reads, whole, open, counted: () => counted };
}

const allOf = (stream: Stream) => Array.from({ length: stream.chunkCount }, (_, i) => stream.chunk(i)).flat();

it("merges ascending lists so that each uid comes once", () => {
  expect(allOf(unionOf(lists.map((uids) => listOf(uids, []))))).toEqual(expected);
  expect(allOf(unionOf([listOf([], []), listOf([5], []), listOf([5], []), listOf([4, 6], [])]))).toEqual([4, 5, 6]);
});

it("reads each chunk once for all readers, and keeps the whole list with its count and its places", () => {
  const { reads, whole, open, counted } = kept();
  const first = open();
  expect(first.chunk(1)).toEqual(open().chunk(1));
  const once = reads.length;
  expect(open().chunk(1)).toEqual(first.chunk(1));
  expect(reads).toHaveLength(once);
  expect(whole).toEqual([]);
  expect(allOf(open())).toEqual(expected);
  expect(counted()).toBe(expected.length);
  const [list] = whole;
  expect(whole).toHaveLength(1);
  if (list === undefined) return;
  const again = streamOfKept(list);
  expect([again.count, again.exact]).toEqual([expected.length, true]);
  expect(allOf(again)).toEqual(expected);
  for (const uid of [1, 2, 5, 1_999, 2_001, 3_998, 3_999, 4_000]) {
    expect(again.contains(uid), String(uid)).toBe(expected.includes(uid));
    const place = again.chunkFor(uid);
    expect(again.boundOf(place) <= uid && uid < again.boundOf(place + 1)).toBe(true);
  }
});
