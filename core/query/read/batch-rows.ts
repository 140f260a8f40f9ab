// Batches made of the rows of others.

import type { Batch } from "../../contracts/storage/results.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import type { Turns } from "../../ground/work.ts";
import { concatenated, eachInTurns, mapInTurns } from "./each-in-turns.ts";

interface Placed {
  readonly place: number;
}

/** The rows of `batch` at these places, in their order. Of the columns the first `columns`. */
export function batchOf(batch: Batch, rows: readonly Placed[], columns: number, budget: Turns): MaybePromise<Batch> {
  const at = <T>(list: readonly T[]) => mapInTurns(rows, ({ place }) => list[place], budget);
  return andThen(eachInTurns(batch.columns.slice(0, columns), at, budget), (chosen) =>
    andThen(
      mapInTurns(rows, ({ place }) => batch.uids[place] ?? 0, budget),
      (uids) =>
        andThen(
          mapInTurns(rows, ({ place }) => batch.types[place] ?? "", budget),
          (types) => ({ uids, types, columns: chosen }),
        ),
    ),
  );
}

/** One batch after the other. Of the columns the first `columns`. */
export function joinedBatch(batches: readonly Batch[], columns: number): Batch {
  return {
    uids: concatenated(batches.map(({ uids }) => uids)),
    types: concatenated(batches.map(({ types }) => types)),
    columns: Array.from({ length: columns }, (_, c) => concatenated(batches.map((batch) => batch.columns[c] ?? []))),
  };
}
