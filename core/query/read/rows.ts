// What was read for a selection: rows of nodes, and what hangs below them.

import type { AnswerError } from "../../contracts/plugin/root-answer.ts";
import type { Batch, MeasureRow } from "../../contracts/storage/results.ts";
import type { AnswerValue, Uid } from "../../ground/values/value.ts";
import type { ResponseError } from "../operation-context.ts";
import type { BoundConnection, BoundGroups, BoundLevel } from "./bind.ts";
import type { HiddenRows } from "./mask.ts";
import type { ConnectionPages } from "./read-connection.ts";
import type { GroupLists } from "./read-groups.ts";

/** The objects of one level with everything below them. */
export interface Rows {
  readonly bound: BoundLevel;
  readonly batch: Batch;
  /** Aligned with the level's links, aggregates and computed fields. */
  readonly links: readonly LinkRows[];
  /** By row; undefined for rows whose type does not select it. */
  readonly aggregates: readonly (readonly (MeasureRow | undefined)[])[];
  readonly connections: readonly ConnectionRows[];
  readonly groups: readonly GroupRows[];
  readonly computed: readonly ComputedColumn[];
  /** What is missing in the rows because the caller may not see it; undefined: nothing. */
  readonly hidden: HiddenRows | undefined;
}

/** Pages, and the nodes that they show. */
export interface ConnectionRows extends ConnectionPages {
  readonly bound: BoundConnection;
  /** Of a link: the page of each parent row; undefined: the type does not select it. */
  readonly pageOf: readonly (number | undefined)[];
  /** Aligned with the places of the selection. */
  readonly places: readonly PlaceRows[];
}

/** Groups, and the objects of their keys. */
export interface GroupRows {
  readonly bound: BoundGroups;
  /** Of a link: the list of each parent row; undefined: the type does not select it. */
  readonly listOf: readonly (number | undefined)[];
  /** By which fields and ends they are grouped. */
  readonly by: GroupLists["by"];
  readonly lists: GroupLists["lists"];
  /** Aligned with the links of the selection. */
  readonly places: readonly PlaceRows[];
}

export interface PlaceRows {
  readonly rows: Rows;
  readonly rowOf: ReadonlyMap<Uid, number>;
}

/** The values of a computed field, by row. */
export interface ComputedColumn {
  readonly values: readonly (AnswerValue | undefined)[];
  /** What the plugin reports about the rows' values; undefined: nothing. */
  readonly errors: ReadonlyMap<number, readonly AnswerError[]> | undefined;
  /** The texts of long values, which were written in turns. Undefined: none is long. */
  readonly written: ReadonlyMap<number, WrittenValue> | undefined;
}

/** The text of a value; undefined after an error in a non-null position. Paths of its errors begin at the value. */
export interface WrittenValue {
  readonly text: string | undefined;
  readonly errors: readonly ResponseError[];
}

export type LinkRows =
  /** `rowOf[r]` is the partner's row of parent `r`, -1 without one. */
  | { readonly kind: "one"; readonly rowOf: readonly number[]; readonly rows: Rows; readonly texts: Texts }
  /** Partners of parent `r`: `partners[starts[s]]` up to before `partners[starts[s + 1]]` with `s = sourceOf?.[r] ?? r`. */
  | {
      readonly kind: "many";
      readonly sourceOf: readonly number[] | undefined;
      readonly starts: readonly number[];
      readonly partners: readonly number[];
      readonly rows: Rows;
      readonly texts: Texts;
      /** Finished lists by source, where they are so long that they are written ahead. */
      joined?: ReadonlyMap<number, string>;
    };

/** Finished objects by row, kept because several parents show them; of no length when none does. Filled while the answer is written. */
export type Texts = (string | undefined)[];

/** @param shown how many objects are shown, those of several parents each time */
export function textsOf(rows: Rows, shown: number): Texts {
  const count = rows.batch.uids.length;
  return shown > count ? new Array<string | undefined>(count).fill(undefined) : [];
}

export const emptyBatch = (columns: number): Batch => ({ uids: [], types: [], columns: Array.from({ length: columns }, () => []) });
