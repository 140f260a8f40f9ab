// What a block reads: levels of nodes, and for each node the parts that fields ask for. Rows instead of uids refer to nodes of a level.

import type { Column, FieldLayout, TypeName, Uid, Value } from "../../../core/plugin.ts";
import type { Field, GroupKey, PredicateField } from "../language/syntax.ts";
import type { DqlKind, DqlValue } from "../schema/values.ts";

/** The distinct nodes of a block, or of all lists of one edge. */
export interface Level {
  readonly uids: readonly Uid[];
  /** Undefined: there is no such node. A document may name uids that nobody has. */
  readonly types: readonly (TypeName | undefined)[];
  readonly parts: readonly Part[];
  /** Variables that this level defines for all its nodes: `x as uid`. */
  readonly uidVariables: readonly string[];
}

/** What one field gives, aligned with the rows of its level. */
export type Part = UidPart | CountUidPart | ValuePart | TypesPart | EdgePart | ComputedPart | ValPart;

interface PartBase {
  /** The member's name in the answer. */
  readonly key: string;
  readonly isAliased: boolean;
  readonly variable: string | undefined;
}

export interface UidPart extends PartBase {
  readonly kind: "uid";
}
export interface CountUidPart extends PartBase {
  readonly kind: "countUid";
}
/** The values of a predicate, of one language or the first of several. */
export interface ValuePart extends PartBase {
  readonly kind: "value";
  readonly name: string;
  readonly field: FieldLayout | undefined;
  readonly column: Column;
}
/** `dgraph.type`. */
export interface TypesPart extends PartBase {
  readonly kind: "types";
}
/** The lists of an edge. Row `i` leads to `rows[starts[i]]` up to, not including, `rows[starts[i + 1]]` of `level`. */
export interface EdgePart extends PartBase {
  readonly kind: "edge";
  readonly name: string;
  readonly field: PredicateField;
  readonly many: boolean;
  level: Level;
  starts: readonly number[];
  rows: readonly number[];
  /** Set for `@groupby`. */
  readonly groups: GroupSource | undefined;
  /** What is left to do with each list after `@cascade` has dropped nodes. */
  readonly cutter: Cutter | undefined;
}
/** Orders and cuts a list where the storage could not. */
export type Cutter = (rows: readonly number[], uidOf: (row: number) => Uid) => readonly number[];

/** One value for each row: counts, aggregates, math, password checks. */
export interface ComputedPart extends PartBase {
  readonly kind: "computed";
  readonly field: Field;
  of: DqlKind;
  values: readonly (DqlValue | undefined)[];
}
/** `val(v)`. */
export interface ValPart extends PartBase {
  readonly kind: "val";
  readonly of: string;
}

/** The nodes that a `@groupby` groups: of each row its keys, and the columns that aggregates read. */
export interface GroupSource {
  readonly keys: readonly GroupColumn[];
  readonly aggregated: ReadonlyMap<string, { readonly field: FieldLayout; readonly column: Column }>;
  readonly fields: readonly Field[];
}

export interface GroupColumn {
  readonly key: GroupKey;
  /** `uid`: the keys are nodes. */
  readonly of: DqlKind | "uid";
  /** One stored value for each row, which is its key: rows are then grouped without looking at each key. */
  readonly plain?: { readonly column: Column; readonly keyOf: (stored: Value) => DqlValue } | undefined;
  /** The keys of a row; none: the row is in no group. */
  readonly keysOf: (row: number) => readonly DqlValue[];
}

/** A block that has been read. */
export interface ReadBlock {
  readonly level: Level;
  /** The rows that the block shows, in order. */
  rows: readonly number[];
  readonly groups: GroupSource | undefined;
}

export function targetsOf({ starts, rows }: Pick<EdgePart, "starts" | "rows">, row: number): readonly number[] {
  return rows.slice(starts[row], starts[row + 1]);
}
