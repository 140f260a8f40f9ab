// Visits all nodes of a type, slice by slice in the writer's turn. Others write in between.

import { andThen, type MaybePromise, rescued, type Uid } from "../../../core/storage.ts";
import { Company } from "../build/company.ts";
import type { CommitDetails, Database, Outcome } from "../database/database.ts";
import { settled } from "../ground/settled.ts";
import { endsOf } from "../structures/posting-list.ts";
import { chunkSize } from "../structures/posting-lists.ts";
import { nextUids, RecordsAhead } from "./records-ahead.ts";

/** Nodes in one slice, which is of one chunk of the list: some milliseconds of work. */
const defaultSliceNodes = chunkSize;
/** Bytes in memory of the nodes of one slice, but for a single one: the work on a long value grows with its length. */
const maxSliceBytes = 2 << 20;
/**
 * Slices in flight. Slices that finish during a disk write are written together, each entry once. A concurrent writer waits for these at most.
 */
const slicesAhead = 8;
/** Slices in flight while others write. They wait for the batch that is being written and for their own: half the wait, for a tenth more work. */
const slicesBeside = 2;

export interface EachNodeOptions {
  readonly sliceNodes?: number;
  /** Visits no node up to this uid. */
  readonly after?: Uid;
  /** Called between two slices, outside the writer's turn. Never behind a slice that failed. */
  readonly between?: () => Promise<void> | undefined;
}

/**
 * Calls `work` in the writer's turn with the uids of all nodes that exist at the first call; each slice is a commit. Writers index later nodes
 * themselves: visiting those too would not end while others add nodes.
 */
export async function eachNode(
  database: Database,
  typeId: number,
  work: (uids: readonly Uid[]) => MaybePromise<CommitDetails | undefined>,
  { sliceNodes = defaultSliceNodes, after: first = 0, between }: EachNodeOptions = {},
): Promise<void> {
  let last: Uid | undefined;
  let after = first;
  let isDone = false;
  let hasFailed = false;
  const company = new Company(database.engine);
  // Slices are in flight together: one that fails ends those behind it too, which would leave its nodes out.
  const failed = (thrown: unknown): never => {
    isDone = true;
    hasFailed = true;
    throw thrown;
  };
  const visitSlice = (): MaybePromise<Outcome<undefined>> => {
    if (isDone) return { result: undefined, wrote: false };
    company.look();
    const list = database.schema.nodes.byType.open(typeId, database.writerView);
    last ??= endsOf(list)?.[1] ?? 0;
    const uids = lightest(
      database,
      nextUids(list, after, sliceNodes).filter((uid) => uid <= (last ?? 0)),
    );
    after = uids.at(-1) ?? after;
    isDone = uids.length === 0 || after === last;
    const outcome = (changes: CommitDetails | undefined) => ({ result: undefined, wrote: database.engine.hasWork, ...(changes && { changes }) });
    return uids.length === 0 ? outcome(undefined) : andThen(work(uids), outcome);
  };
  const slice = () => database.write(() => rescued(visitSlice, failed));
  const pending: Promise<unknown>[] = [];
  const ahead = new RecordsAhead(database, typeId, first);
  try {
    while (!isDone) {
      const read = ahead.readyFor(after);
      if (read !== undefined) await read;
      const next = slice();
      // A failure is thrown when the slice is awaited. Until then it must not count as unhandled, which would end the process.
      next.catch(() => undefined);
      pending.push(next);
      while (pending.length >= (company.isAlone ? slicesAhead : slicesBeside)) await pending.shift();
      await new Promise((resolve) => setImmediate(resolve));
      const pause = hasFailed ? undefined : between?.();
      if (pause !== undefined) await pause;
    }
  } finally {
    // No slice runs any more when this function returns.
    isDone = true;
    await settled(pending);
    await ahead.end();
  }
}

/** The first of `uids`, as many as one slice may hold. */
function lightest({ schema, writerView }: Database, uids: readonly Uid[]): readonly Uid[] {
  const { keyspace } = schema.nodes.records;
  let bytes = 0;
  for (let i = 0; i < uids.length; i++) {
    const record = keyspace.read(uids[i] ?? 0, writerView);
    if (record !== undefined) bytes += keyspace.codec.weigh(record);
    if (bytes > maxSliceBytes) return uids.slice(0, Math.max(1, i));
  }
  return uids;
}
