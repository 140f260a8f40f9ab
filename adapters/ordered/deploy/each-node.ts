// Goes through all nodes of a type in slices of the writer's time, while others write in between.

import type { Uid } from "../../../core/index.ts";
import type { Database, Told } from "../database.ts";
import { lowerBound, type PostingList } from "../structures/posting-lists.ts";

/** Nodes in one slice: some milliseconds of work. */
const sliceNodes = 250;

/**
 * Calls `work` in the writer's turn with the next uids until all are done that are there at the first; each slice is a commit. Nodes that come
 * later are their writers' to keep up: waiting for the last of them would take as long as somebody adds more.
 */
export async function eachNode(database: Database, typeId: number, work: (uids: readonly Uid[]) => Told | undefined): Promise<void> {
  let last: Uid | undefined;
  for (let after: Uid | undefined = 0; after !== undefined && after !== last; ) {
    const from: Uid = after;
    const slice = await database.write(() => {
      const list = database.schema.nodes.byType.open(typeId, database.writerView);
      last ??= lastUid(list);
      const uids = nextUids(list, from).filter((uid) => uid <= (last ?? 0));
      const told = uids.length === 0 ? undefined : work(uids);
      return { result: uids.at(-1), wrote: uids.length > 0, ...(told && { told }) };
    });
    after = slice.result;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function lastUid(list: PostingList): Uid {
  return list.chunkCount === 0 ? 0 : (list.chunk(list.chunkCount - 1).at(-1) ?? 0);
}

/** The list may have changed since the last slice. */
function nextUids(list: PostingList, after: Uid): readonly Uid[] {
  for (let i = list.chunkFor(after + 1); i < list.chunkCount; i++) {
    const chunk = list.chunk(i);
    const start = lowerBound(chunk, after + 1);
    if (start < chunk.length) return chunk.slice(start, start + sliceNodes);
  }
  return [];
}
