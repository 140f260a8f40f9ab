// The union or intersection of many streams, listed: a stream that merged them chunk by chunk would look at each of them for each chunk.

import type { Uid, Work } from "../../../core/storage.ts";
import type { Reader } from "./reader.ts";
import { ascending, emptyStream, type Stream, streamOf } from "./stream.ts";

/** Streams between two looks at the budget and the clock. */
const stride = 32;

/** @param open called with each of `sources` in turn */
export function* listedUnion<S>(reader: Reader, sources: Iterable<S>, open: (source: S) => Stream): Work<Stream> {
  const uids: Uid[] = [];
  let count = 0;
  for (const source of sources) {
    const stream = open(source);
    for (let i = 0; i < stream.chunkCount; i++) {
      if (i > 0) yield* reader.spend(0);
      for (const uid of stream.chunk(i)) uids.push(uid);
    }
    if (++count % stride === 0) yield* reader.spend(0);
  }
  return streamOf(ascending(uids));
}

/** Tests between two looks at the budget and the clock. */
const testsBetweenLooks = 4_096;

/** @param sources at least one; best the smallest stream first */
export function* listedIntersection<S>(reader: Reader, sources: Iterable<S>, open: (source: S) => Stream): Work<Stream> {
  let uids: readonly Uid[] | undefined;
  let tests = 0;
  for (const source of sources) {
    const stream = open(source);
    if (uids === undefined) {
      const all: Uid[] = [];
      for (let i = 0; i < stream.chunkCount; i++) for (const uid of stream.chunk(i)) all.push(uid);
      uids = all;
    } else uids = uids.filter((uid) => stream.contains(uid));
    if (uids.length === 0) return emptyStream;
    tests += uids.length + testsBetweenLooks / stride;
    if (tests < testsBetweenLooks) continue;
    tests = 0;
    yield* reader.spend(0);
  }
  return streamOf(uids ?? []);
}
