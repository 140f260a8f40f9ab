// Scans candidates in uid order, block by block, and keeps those that pass all tests.

import type { Uid, Work } from "../../../core/storage.ts";
import { lowerBound } from "../structures/sorted-uids.ts";
import type { Driven, Test } from "./clause.ts";
import { passingInTurns } from "./long-tests.ts";
import { blockRows, type Reader } from "./reader.ts";

/** Called with the matches of one block, ascending; false ends the scan. Where it may take long, it is work in turns itself. */
export type Take = (uids: readonly Uid[]) => boolean | Work<boolean>;

const smallestBlock = 32;
/** Tests of a block, in the cost of a lookup: thousands of conditions make its turn no longer. */
const blockCost = 65_536;

/** The largest block for these tests. */
function mostRows({ firstCost }: Driven): number {
  return Math.max(1, Math.min(blockRows, Math.floor(blockCost / Math.max(1, firstCost))));
}

export interface Scan {
  /** Only nodes above it. */
  readonly after: Uid;
  readonly take: Take;
  /** The number of matches after which the scan may end; undefined: it returns all. */
  readonly enough?: number;
}

/** Passes on the candidates that pass all tests, in blocks of 256 rows. With a limit, blocks start small and grow. */
export function* scan(reader: Reader, driven: Driven, { after, take, enough = Number.POSITIVE_INFINITY }: Scan): Work<void> {
  const { stream, tests } = driven;
  const most = mostRows(driven);
  let rows = tests.length === 0 || enough > blockRows ? most : Math.min(most, smallestBlock);
  for (let c = after > 0 ? stream.chunkFor(after + 1) : 0; c < stream.chunkCount; c++) {
    const chunk = stream.chunk(c);
    for (let start = after > 0 ? lowerBound(chunk, after + 1) : 0; start < chunk.length; start += rows) {
      if (start > 0) rows = Math.min(most, rows * 2);
      const block = start === 0 && chunk.length <= rows ? chunk : chunk.slice(start, start + rows);
      yield* reader.spend(block.length);
      const goesOn = take(yield* matchesOf(reader, block, driven));
      if (!(typeof goesOn === "boolean" ? goesOn : yield* goesOn)) return;
    }
  }
}

/** The same from the end: blocks come last first, each ascending. */
function* scanBackwards(reader: Reader, driven: Driven, take: Take): Work<void> {
  const { stream } = driven;
  for (let c = stream.chunkCount - 1; c >= 0; c--) {
    const chunk = stream.chunk(c);
    for (let end = chunk.length; end > 0; end -= blockRows) {
      const block = chunk.slice(Math.max(0, end - blockRows), end);
      yield* reader.spend(block.length);
      const goesOn = take(yield* matchesOf(reader, block, driven));
      if (!(typeof goesOn === "boolean" ? goesOn : yield* goesOn)) return;
    }
  }
}

/** Rows that are tested at once where tests take long, such as one that follows links: to as many nodes as there are partners. */
const sliceRows = 32;
/** The cost of tests up to which a block is tested at once. */
const quickCost = 2;

/** Prefetches records only for candidates that pass the tests without records: a tenth of the candidates of a regular expression. */
function* matchesOf(reader: Reader, block: readonly Uid[], driven: Driven): Work<readonly Uid[]> {
  const { tests, records, sifting, firstCost } = driven;
  const isQuick = firstCost <= quickCost && !tests.some(mayTakeLong);
  if (!records) return isQuick ? passing(block, tests) : yield* passingInSlices(reader, block, tests);
  const [before, after] = [tests.slice(0, sifting), tests.slice(sifting)];
  const sifted = before.some(mayTakeLong) ? yield* passingInSlices(reader, block, before) : passing(block, before);
  yield* reader.prefetch(sifted);
  return yield* passingInSlices(reader, sifted, after);
}

const mayTakeLong = ({ inTurns }: Test): boolean => inTurns !== undefined;

function* passingInSlices(reader: Reader, block: readonly Uid[], tests: readonly Test[]): Work<readonly Uid[]> {
  const waits = tests.some(mayTakeLong);
  if (block.length <= sliceRows) return waits ? yield* passingEach(block, tests) : passing(block, tests);
  const kept: Uid[] = [];
  for (let start = 0; start < block.length; start += sliceRows) {
    const slice = block.slice(start, start + sliceRows);
    for (const uid of waits ? yield* passingEach(slice, tests) : passing(slice, tests)) kept.push(uid);
    yield* reader.spend(0);
  }
  return kept;
}

/** Test by test: one that takes long is asked of the nodes alone that pass those before it. */
function* passingEach(slice: readonly Uid[], tests: readonly Test[]): Work<readonly Uid[]> {
  let left = slice;
  for (const test of tests) left = test.inTurns === undefined ? passing(left, [test]) : yield* passingInTurns(test.inTurns, left);
  return left;
}

function passing(block: readonly Uid[], tests: readonly Test[]): readonly Uid[] {
  const [first, second] = tests;
  if (first === undefined) return block;
  if (first.sieve !== undefined) return passing(first.sieve(block), tests.slice(1));
  const kept: Uid[] = [];
  if (second === undefined) {
    for (const uid of block) if (first(uid)) kept.push(uid);
    return kept;
  }
  for (const uid of block) {
    let passes = true;
    for (const test of tests) {
      if (test(uid)) continue;
      passes = false;
      break;
    }
    if (passes) kept.push(uid);
  }
  return kept;
}

/** Up to `limit` matches above `after`. */
export function* gather(reader: Reader, driven: Driven, { limit, after }: { readonly limit: number; readonly after: Uid }): Work<Uid[]> {
  const found: Uid[] = [];
  yield* scan(reader, driven, {
    after,
    enough: limit,
    take(uids) {
      for (const uid of uids) {
        if (found.length >= limit) return false;
        found.push(uid);
      }
      return found.length < limit;
    },
  });
  return found;
}

/** The last `count` matches, ascending. */
export function* gatherLast(reader: Reader, driven: Driven, count: number): Work<Uid[]> {
  const blocks: (readonly Uid[])[] = [];
  let length = 0;
  yield* scanBackwards(reader, driven, (uids) => {
    blocks.push(uids);
    length += uids.length;
    return length < count;
  });
  const found = blocks.reverse().flat();
  return found.slice(Math.max(0, found.length - count));
}
