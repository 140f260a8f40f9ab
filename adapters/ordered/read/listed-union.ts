// The union of many streams, listed: a stream that merged them chunk by chunk would look at each of them for each chunk.

import type { Uid } from "../../../core/storage.ts";
import type { Reader } from "./reader.ts";
import { ascending, type Stream, streamOf } from "./stream.ts";
import type { Work } from "./work.ts";

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
