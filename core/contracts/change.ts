// What a transaction does to nodes. Each change says node types, so that a store with one table a type finds its table.

import type { EndName, FieldName, Stored, TypeName, Uid } from "../ground/values/value.ts";

export type Change = Create | Set | Link | Unlink | Remove;

/** A new node. Its uid comes from `Transaction.uids` (an import may bring its own, never one that is in use). */
export interface Create {
  readonly kind: "create";
  readonly uid: Uid;
  readonly type: TypeName;
  readonly fields: FieldValues;
}

/** New values of an existing node; fields not named stay. A list is given whole. */
export interface Set {
  readonly kind: "set";
  readonly uid: Uid;
  readonly type: TypeName;
  /** null clears. */
  readonly fields: FieldPatch;
}

/**
 * A link seen from `from`, a node that has `end`. There already: no change. On a single end that is full: `END_TAKEN` (unlink first). A link of a
 * single end that the layout hides gives way.
 */
export interface Link {
  readonly kind: "link";
  readonly end: EndName;
  readonly from: Uid;
  readonly fromType: TypeName;
  readonly to: Uid;
  readonly toType: TypeName;
}

/** Not there: no change. */
export interface Unlink {
  readonly kind: "unlink";
  readonly end: EndName;
  readonly from: Uid;
  readonly fromType: TypeName;
  readonly to: Uid;
  readonly toType: TypeName;
}

/** The node goes, with its values, index entries, keys and links, those of edges that the layout no longer shows included. */
export interface Remove {
  readonly kind: "remove";
  readonly uid: Uid;
  readonly type: TypeName;
}

export type FieldValues = { readonly [field: FieldName]: Stored };
export type FieldPatch = { readonly [field: FieldName]: Stored | null };
