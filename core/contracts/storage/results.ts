// What a view answers: rows in columns, links, aggregates, groups.

import type { Stored, TypeName, Uid, Value } from "../../ground/values/value.ts";

/**
 * Rows in columns. Row `i` is the node `uids[i]` of the type `types[i]`; `columns[c][i]` is its value of the request's `fields[c]`:
 *
 *     // fields: ["Author.name", "Author.editor"]
 *     { uids: [1, 4], types: ["Author", "Author"], columns: [["Ada", undefined], [7, undefined]] }
 */
export interface Batch {
  /** One for each row. */
  readonly uids: readonly Uid[];
  /** The concrete type of each row. */
  readonly types: readonly TypeName[];
  /** One column for each requested field. */
  readonly columns: readonly Column[];
  /** The distance of each row, of a request with `nearest`. */
  readonly distances?: readonly number[];
}

/** The values of one field. A single end gives the partner's uid. A node without a value, and a type without the field, give `undefined`. */
export type Column = readonly (Stored | undefined)[];

/**
 * The links of many sources in compressed sparse rows. Source `i` leads to the nodes `rows[starts[i]]` up to, not including,
 * `rows[starts[i + 1]]`:
 *
 *     // The first of two sources leads to the nodes 7 and 9, the second to 9.
 *     { starts: [0, 2, 3], rows: [0, 1, 1], nodes: { uids: [7, 9], types: ["Post", "Post"], columns: [] } }
 */
export interface Links {
  /** One longer than `from`. */
  readonly starts: readonly number[];
  /** Row numbers of `nodes`. */
  readonly rows: readonly number[];
  /** Each node once, even when several sources lead to it. */
  readonly nodes: Batch;
}

/** One result for each measure, in the order of the measures. */
export type MeasureRow = readonly (Value | undefined)[];

/** One group: `{ keys: [7, "2031-01-01T00:00:00Z"], measures: [2, 4.5] }`. */
export interface Group {
  /**
   * One for each of `by`. Of a single end the partner's uid; of a DateTime the start of its unit, or the instant, in UTC (`startOfUnit`). Undefined: these
   * nodes have no value, or one that the field's kind cannot represent.
   */
  readonly keys: readonly (Value | undefined)[];
  /** One for each measure of the request. */
  readonly measures: MeasureRow;
}
