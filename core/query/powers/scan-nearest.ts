// The nearest nodes for storages that cannot find them: reads the vectors of all candidates in batches and keeps the nearest.

import { all, and } from "../../contracts/predicate.ts";
import type { FindRequest, Nearest, Page } from "../../contracts/storage/requests.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import type { Snapshot } from "../../contracts/storage/snapshot.ts";
import type { Powers } from "../../contracts/storage/storage.ts";
import type { Uid } from "../../ground/values/value.ts";
import { type Hit, NearestList } from "../evaluate/nearest-list.ts";
import { forwardingSnapshot } from "./forwarding-snapshot.ts";

/** Vectors of a thousand elements take two megabytes in a batch. */
const batchRows = 512;

export interface NearestRequest extends FindRequest {
  readonly nearest: Nearest;
}

/** `snapshot` itself when its storage finds nearest nodes. */
export function withNearest(snapshot: Snapshot, supports: Powers): Snapshot {
  if (supports.nearest) return snapshot;
  return forwardingSnapshot(snapshot, {
    find: ({ nearest, ...request }) => (nearest ? scanNearest({ ...request, nearest }, snapshot) : snapshot.find(request)),
  });
}

/** The result of `find` with `nearest`, exactly. Every candidate counts as read by the request. */
export async function scanNearest(request: NearestRequest, snapshot: Snapshot): Promise<Batch> {
  const { types, page, fields } = request;
  const best = await nearestOfAll(request, snapshot);
  const hits = pageOf(best.sorted(), page);
  const batch = await snapshot.load({ uids: hits.map(({ uid }) => uid), types, fields });
  return { ...batch, distances: distancesOf(batch, hits) };
}

async function nearestOfAll({ types, where = all, nearest }: NearestRequest, snapshot: Snapshot): Promise<NearestList> {
  const { field } = nearest;
  const best = new NearestList(nearest);
  let after: Uid | undefined = 0;
  while (after !== undefined) {
    const rest = and(where, { kind: "has", field }, { kind: "after", uid: after });
    const { uids, columns }: Batch = await snapshot.find({ types, where: rest, page: { first: batchRows }, fields: [field] });
    for (const [row, uid] of uids.entries()) best.offer(uid, columns[0]?.[row]);
    after = uids.length < batchRows ? undefined : uids.at(-1);
  }
  return best;
}

/** Hits come nearest first, so they have no last page. */
export function pageOf(hits: readonly Hit[], page: Page | undefined): readonly Hit[] {
  if (page === undefined || "last" in page) return hits;
  const offset = page.offset ?? 0;
  return hits.slice(offset, page.first === undefined ? undefined : offset + page.first);
}

function distancesOf({ uids }: Batch, hits: readonly Hit[]): readonly number[] {
  const distances = new Map(hits.map(({ uid, distance }) => [uid, distance]));
  return uids.map((uid) => distances.get(uid) ?? Number.NaN);
}
