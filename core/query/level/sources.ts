// Which rows of a level select a field, and the nodes that it is read from.

import type { Batch } from "../../contracts/storage/results.ts";
import type { Uid } from "../../ground/values/value.ts";
import type { PlacedStep } from "./level.ts";
import type { HiddenField } from "./masks.ts";

/** What is selected on objects of some types. */
export type TypedStep = Pick<PlacedStep, "types" | "everyType">;

export function selects(step: TypedStep, batch: Batch, row: number): boolean {
  return step.everyType || step.types.has(batch.types[row] ?? "");
}

/** The nodes from which a field of a level is read. */
export interface Sources {
  readonly from: readonly Uid[];
  /** Place in `from` by row, -1 for rows whose type does not select the field; undefined: all do. */
  readonly sourceOf: readonly number[] | undefined;
}

/** @param hidden the rows whose link the caller may not see */
export function sourcesOf(step: TypedStep, batch: Batch, hidden?: HiddenField): Sources {
  if (step.everyType && !hidden) return { from: batch.uids, sourceOf: undefined };
  const from: Uid[] = [];
  const sourceOf = batch.uids.map((uid, row) => (selects(step, batch, row) && !hidden?.isHidden(row) ? from.push(uid) - 1 : -1));
  return { from, sourceOf };
}
