// The write operations of a transaction. Each one names node types, so that a storage with one table for each type finds the table.

import type { EndName, FieldName, Stored, TypeName, Uid } from "../ground/values/value.ts";

/**
 * One write operation, in storage names:
 *
 *     await transaction.write([
 *       { kind: "create", uid: 7, type: "Author", fields: { "Author.name": "Ada", "Author.tags": ["maths"] } },
 *       { kind: "set", uid: 3, type: "Post", fields: { "Post.title": "Notes", "Post.draft": null } },
 *       { kind: "link", end: "Post.author", from: 3, fromType: "Post", to: 7, toType: "Author" },
 *     ]);
 */
export type Change = Create | Set | Link | Unlink | Remove;

/**
 * Creates a node. Its uid comes from `Transaction.uids`; an import may choose its own uid, which must not be in use.
 *
 *     const [uid = 0] = await transaction.uids(1);
 *     await transaction.write([{ kind: "create", uid, type: "Author", fields: { "Author.name": "Ada" } }]);
 *
 * A value that a key holds already fails with `KEY_TAKEN`, when the transaction commits at the latest.
 */
export interface Create {
  readonly kind: "create";
  /** From `Transaction.uids`, or free and chosen by an import. */
  readonly uid: Uid;
  readonly type: TypeName;
  /** By stored name. Fields that are absent have no value. */
  readonly fields: FieldValues;
}

/**
 * Sets values of an existing node. Fields that are not named keep their values. A list is replaced as a whole; `null` clears a field, as `[]` clears a list.
 *
 *     { kind: "set", uid: 3, type: "Post", fields: { "Post.tags": ["maths", "engines"], "Post.draft": null } }
 *
 * Derived fields are computed by the storage and cannot be named.
 */
export interface Set {
  readonly kind: "set";
  readonly uid: Uid;
  readonly type: TypeName;
  /** `null` clears a field. */
  readonly fields: FieldPatch;
}

/**
 * Adds a link from `from`, a node that has `end`, to `to`. The link is visible from both sides. No effect when it exists.
 *
 *     // as seen from the author: the same link as { end: "Post.author", from: 3, to: 7 }
 *     { kind: "link", end: "Author.posts", from: 7, fromType: "Author", to: 3, toType: "Post" }
 *
 * A single end that already has a link fails with `END_TAKEN`; `Unlink` it first. A link that the layout hides is replaced instead.
 *
 * Of a link and the removal of one of its nodes in a concurrent transaction, one conflicts and runs again. It then fails with `CONFLICT` if it still
 * links to a node that is gone.
 */
export interface Link {
  readonly kind: "link";
  readonly end: EndName;
  /** The node that has `end`. */
  readonly from: Uid;
  readonly fromType: TypeName;
  /** The node at the other side. */
  readonly to: Uid;
  readonly toType: TypeName;
}

/**
 * Removes a link. No effect when it does not exist.
 *
 *     { kind: "unlink", end: "Author.posts", from: 7, fromType: "Author", to: 3, toType: "Post" }
 */
export interface Unlink {
  readonly kind: "unlink";
  readonly end: EndName;
  /** The node that has `end`. */
  readonly from: Uid;
  readonly fromType: TypeName;
  /** The node at the other side. */
  readonly to: Uid;
  readonly toType: TypeName;
}

/**
 * Removes a node with its values, index entries, keys and links. Links of edges that the layout no longer shows are removed too. Linked nodes stay.
 *
 *     { kind: "remove", uid: 3, type: "Post" }
 */
export interface Remove {
  readonly kind: "remove";
  readonly uid: Uid;
  readonly type: TypeName;
}

/** Values by stored field: `{ "Author.name": "Ada", "Author.tags": ["maths"] }`. A field that is not named has no value. */
export type FieldValues = { readonly [field: FieldName]: Stored };
/** Values by stored field; `null` clears: `{ "Author.name": "Grace", "Author.tags": null }`. */
export type FieldPatch = { readonly [field: FieldName]: Stored | null };
