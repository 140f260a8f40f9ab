// Goes through all nodes of a type in slices of the writer's time, while others write in between.

import type { Uid } from "../../../core/index.ts";
import type { CommitDetails, Database } from "../database.ts";
import { lowerBound, type PostingList } from "../structures/posting-lists.ts";

/** Nodes in one slice: some milliseconds of work. */
const sliceNodes = 250;
/**
 * Slices that nobody has waited for yet. Those that come while others are being written to the disk are written as one, each cell once. Whoever
 * writes meanwhile waits for no more than these.
 */
const slicesAhead = 8;
/** The same while others write: they wait for the batch on its way to the disk, then for the one that has theirs. Half the wait, for a tenth more work. */
const slicesBeside = 2;

/**
 * Calls `work` in the writer's turn with the next uids until all are done that are there at the first; each slice is a commit. Nodes that come
 * later are their writers' to keep up: waiting for the last of them would take as long as somebody adds more.
 */
export async function eachNode(database: Database, typeId: number, work: (uids: readonly Uid[]) => CommitDetails | undefined): Promise<void> {
  let last: Uid | undefined;
  let after: Uid = 0;
  let isDone = false;
  let isAlone = true;
  let lastCommit: number | undefined;
  const slice = () =>
    database.write(() => {
      if (isDone) return { result: undefined, wrote: false };
      isAlone = lastCommit === undefined || lastCommit === database.engine.stagedAt;
      lastCommit = database.engine.stagedAt + 1;
      const list = database.schema.nodes.byType.open(typeId, database.writerView);
      last ??= lastUid(list);
      const uids = nextUids(list, after).filter((uid) => uid <= (last ?? 0));
      const changes = uids.length === 0 ? undefined : work(uids);
      after = uids.at(-1) ?? after;
      isDone = uids.length === 0 || after === last;
      return { result: undefined, wrote: uids.length > 0, ...(changes && { changes }) };
    });
  const pending: Promise<unknown>[] = [];
  try {
    while (!isDone) {
      const next = slice();
      // A failure is told when its turn comes; until then it is nobody's, and would end the process.
      next.catch(() => undefined);
      pending.push(next);
      while (pending.length >= (isAlone ? slicesAhead : slicesBeside)) await pending.shift();
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    // Nothing of it is under way any more when its end is told.
    isDone = true;
    await settled(pending);
  }
}

/** Waits for all, then fails with the first that failed. */
async function settled(pending: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(pending)) if (outcome.status === "rejected") throw outcome.reason;
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
