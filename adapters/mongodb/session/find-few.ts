// Finds few documents by a bare command. The driver's cursor costs 55 us of 350 us of this process's time for such a query, and has nothing left to fetch.

import type { ClientSession, Document } from "mongodb";
import { type Connection, type Doc, valueOptions } from "../connection/connection.ts";
import type { Admit } from "../connection/fair-reads.ts";
import { asFind, type PlainFind } from "./find-command.ts";

export interface FindFewOptions {
  readonly maxTimeMS?: number;
  readonly readConcern?: { toJSON(): Document };
  readonly session?: ClientSession;
  readonly admit?: Admit;
}

const few = 1_000;

/** Undefined: the pipeline is no find of few documents, or they do not fit into one answer. */
export async function findFew(
  { db }: Connection,
  { collection, pipeline }: { readonly collection: string; readonly pipeline: readonly Document[] },
  { maxTimeMS, readConcern, session, admit = atOnce }: FindFewOptions,
): Promise<Doc[] | undefined> {
  const find = asFind(pipeline);
  if (find === undefined || mostOf(find) > few) return undefined;
  const command = {
    find: collection,
    ...find,
    // One more, so that the cursor is closed even when there are as many.
    batchSize: few + 1,
    ...(find.sort && { allowDiskUse: true }),
    ...(maxTimeMS !== undefined && { maxTimeMS }),
    ...(readConcern && { readConcern: readConcern.toJSON() }),
  };
  const { cursor } = await admit(() => db.command(command, { ...valueOptions, ...(session && { session }) }));
  if (Number(cursor.id) === 0) return cursor.firstBatch;
  // A transaction closes its cursors when it ends.
  if (session === undefined) await db.command({ killCursors: collection, cursors: [cursor.id] }).catch(() => undefined);
  return undefined;
}

const atOnce: Admit = (command) => command();

/** How many documents it can find. */
function mostOf({ limit, filter }: PlainFind): number {
  const named = filter._id;
  const uids = typeof named === "number" ? 1 : Array.isArray(named?.$in) ? named.$in.length : Number.POSITIVE_INFINITY;
  return Math.min(limit ?? Number.POSITIVE_INFINITY, uids);
}
