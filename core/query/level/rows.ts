// What was read for a selection: rows of nodes, and what hangs below them.

import type { NodeRows, StepRows } from "../../contracts/plugin/level-step.ts";
import type { Batch } from "../../contracts/storage/results.ts";
import type { Uid } from "../../ground/values/value.ts";
import type { BoundLevel } from "./level.ts";
import type { HiddenRows } from "./masks.ts";
import type { FailedValues } from "./shown-columns.ts";

/** The objects of one level with everything below them. */
export class Rows implements NodeRows {
  readonly bound: BoundLevel;
  readonly batch: Batch;
  /** Aligned with the level's. */
  readonly steps: readonly ReadStep[];
  /** What is missing in the rows because the caller may not see it; undefined: nothing. */
  readonly hidden: HiddenRows | undefined;
  /** Values that their plugin could not show; undefined: none. */
  readonly failed: FailedValues | undefined;
  #rowOf: Map<Uid, number> | undefined;

  constructor(bound: BoundLevel, batch: Batch, below?: Below) {
    this.bound = bound;
    this.batch = batch;
    this.steps = below?.steps ?? noSteps;
    this.hidden = below?.hidden;
    this.failed = below?.failed;
  }

  rowOf(uid: Uid): number | undefined {
    this.#rowOf ??= new Map(this.batch.uids.map((each, row) => [each, row]));
    return this.#rowOf.get(uid);
  }
}

/** What was found out about the rows. */
interface Below {
  readonly steps: readonly ReadStep[];
  readonly hidden: HiddenRows | undefined;
  readonly failed: FailedValues | undefined;
}

/** A step of a level that was read. */
export interface ReadStep {
  readonly rows: StepRows;
  /** Place among the sources by row, -1: none; undefined: the row itself. */
  readonly sourceOf: readonly number[] | undefined;
}

const noSteps: readonly ReadStep[] = Object.freeze([]);

/** Finished objects by row, kept because several parents show them; of no length when none does. Filled while the answer is written. */
export type Texts = (string | undefined)[];

/** @param shown how many objects are shown, those of several parents each time */
export function textsOf(rows: Rows, shown: number): Texts {
  const count = rows.batch.uids.length;
  return shown > count ? new Array<string | undefined>(count).fill(undefined) : [];
}

export const emptyBatch = (columns: number): Batch => ({ uids: [], types: [], columns: Array.from({ length: columns }, () => []) });
