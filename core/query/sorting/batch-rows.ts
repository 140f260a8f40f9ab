// Batches made of the rows of others.

import type { Batch } from "../../contracts/storage/results.ts";
import type { Work } from "../../ground/work.ts";
import { concatenated, each, mapped } from "./mapped.ts";

interface Placed {
  readonly place: number;
}

/** The rows of `batch` at these places, in their order. Of the columns the first `columns`. */
export function* batchOf(batch: Batch, rows: readonly Placed[], columns: number): Work<Batch> {
  const at = <T>(list: readonly T[]) => mapped(rows, ({ place }) => list[place]);
  const chosen = yield* each(batch.columns.slice(0, columns), at);
  const uids = yield* mapped(rows, ({ place }) => batch.uids[place] ?? 0);
  const types = yield* mapped(rows, ({ place }) => batch.types[place] ?? "");
  return { uids, types, columns: chosen };
}

/** One batch after the other. Of the columns the first `columns`. */
export function joinedBatch(batches: readonly Batch[], columns: number): Batch {
  return {
    uids: concatenated(batches.map(({ uids }) => uids)),
    types: concatenated(batches.map(({ types }) => types)),
    columns: Array.from({ length: columns }, (_, c) => concatenated(batches.map((batch) => batch.columns[c] ?? []))),
  };
}
