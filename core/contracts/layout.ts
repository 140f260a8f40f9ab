// What storage is told about a deployed schema: which types, fields, edges, indexes and keys there are, under storage
// names. Plain data but for a few functions, each named by an `id` that says when two of them are the same.

import type { EdgeName, EndName, FieldName, IndexName, KeyName, Stored, Token, TypeName, Value, ValueKind } from "../ground/values/value.ts";

/**
 * The storage side of one deployed schema. Names identify things across deploys: what a later layout omits is kept
 * unseen, what it names again is back with its data.
 */
export interface Layout {
  readonly types: readonly TypeLayout[];
  readonly fields: readonly FieldLayout[];
  readonly edges: readonly EdgeLayout[];
  readonly indexes: readonly IndexLayout[];
  readonly keys: readonly KeyLayout[];
}

/** A concrete type. Each node is of exactly one. Interfaces are not here: a request lists the types it means. */
export interface TypeLayout {
  readonly name: TypeName;
  /** Every stored field a node of this type can hold, inherited ones too. */
  readonly fields: readonly FieldName[];
}

export interface FieldLayout {
  readonly name: FieldName;
  readonly kind: ValueKind;
  /** A set that remembers the order in which its values came. */
  readonly list: boolean;
  /** Computed from fields of the same node; storage keeps it up and builds it for old nodes. Never written by a change. */
  readonly derived?: Derivation;
}

export interface Derivation {
  /** Name, version and options; a derivation with another id is built anew. */
  readonly id: string;
  readonly from: readonly FieldName[];
  /** Pure. Gets the values of `from`, in that order. */
  readonly derive: (values: readonly (Stored | undefined)[]) => Stored | undefined;
}

/**
 * One relation between nodes. Its links are pairs, each there at most once, always seen from both sides, and gone when
 * either node is. A new edge holds every link that its ends have, whatever edge they belonged to before. An end that leaves an
 * edge takes along what it showed, and what an earlier layout showed and no end shows now, but not what another end shows and it
 * does not.
 */
export interface EdgeLayout {
  /** The names of its named ends, joined by `|` in byte order. */
  readonly name: EdgeName;
  /** Two sides; one if both are the same (`friends`, its own inverse): a link then reads alike from both nodes. */
  readonly sides: readonly [Side] | readonly [Side, Side];
}

/** One side of an edge. It has several ends where several fields show parts of it (`Owner.ketches`, `Owner.yawls`, both inverse to `Vessel.owner`). */
export interface Side {
  /** At least one; the first named end, or the unnamed `~` end, by which changes may write. */
  readonly ends: readonly End[];
}

/** A side as one field sees it. */
export interface End {
  readonly name: EndName;
  /** Types of the nodes that have this end. */
  readonly types: readonly TypeName[];
  /** Types of the nodes it leads to. A link to a node of another type (left by an earlier schema) is kept and not seen here. */
  readonly partners: readonly TypeName[];
  /** False: at most one link. */
  readonly many: boolean;
}

/** Values or tokens of one field, to nodes. Covers all types that hold the field. */
export type IndexLayout = ValueIndex | TokenIndex;

interface IndexBase {
  readonly name: IndexName;
  readonly field: FieldName;
}

export interface ValueIndex extends IndexBase {
  readonly by: "value";
  /** True: serves ranges and orders too, and hands out the values of many nodes quickly. */
  readonly ordered: boolean;
}

export interface TokenIndex extends IndexBase {
  readonly by: "tokens";
  /** Name, version and options of the tokenizer; an index with another id is built anew. */
  readonly id: string;
  /** Pure. Distinct tokens of one value, in any order. Storage calls it, and so keeps the index right by construction. */
  readonly tokens: (value: Value) => readonly Token[];
}

/** No two nodes of `types` hold the same values in `fields`. Nodes that lack one of them are free. */
export interface KeyLayout {
  readonly name: KeyName;
  readonly fields: readonly FieldName[];
  readonly types: readonly TypeName[];
}
