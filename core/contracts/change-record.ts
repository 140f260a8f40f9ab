// The change feed: what a commit changed, published after it is durable. Live queries, audit logs and caches read it.

import type { CommitToken, EdgeName, EndName, FieldName, IndexName, Token, TypeName, Uid, Value } from "../ground/values/value.ts";

/** What one commit changed. */
export type ChangeRecord = DetailedRecord | CoarseRecord;

/**
 * Each change of one commit:
 *
 *     {
 *       kind: "detailed",
 *       token: "0000000000000012",
 *       nodes: [{ uid: 1, type: "Author", what: "changed", fields: ["Author.name"] }],
 *       edges: [],
 *       entries: [
 *         { index: "Author.name/hash", key: "Ada", uid: 1, on: false },
 *         { index: "Author.name/hash", key: "Grace", uid: 1, on: true },
 *       ],
 *     }
 */
export interface DetailedRecord {
  readonly kind: "detailed";
  /** The commit that the record is of. */
  readonly token: CommitToken;
  /** Each node once. */
  readonly nodes: readonly ChangedNode[];
  /** Links that were added or removed in total, each once for both sides. */
  readonly edges: readonly ChangedLink[];
  /** Index entries that were added or removed in total. */
  readonly entries: readonly ChangedEntry[];
}

/**
 * The names of what one commit changed, without nodes and values: for commits of more than 10,000 nodes, and storages without `detailedChanges`. A
 * subscriber that depends on any of these names must read again:
 *
 *     { kind: "coarse", token: "0000000000000013", types: ["Author"], fields: ["Author.name"], ends: [] }
 */
export interface CoarseRecord {
  readonly kind: "coarse";
  /** The commit that the record is of. */
  readonly token: CommitToken;
  /** Types of which nodes were created, changed or removed. */
  readonly types: readonly TypeName[];
  /** Fields of which values changed. */
  readonly fields: readonly FieldName[];
  /** Ends of which links changed. */
  readonly ends: readonly EndName[];
}

/**
 * Records up to and including `token` are lost, because the storage's history is bounded or its connection broke. A subscriber must read the data again.
 *
 *     { kind: "gap", token: "0000000000000014" }
 */
export interface Gap {
  readonly kind: "gap";
  /** The newest commit of which the records are lost. */
  readonly token: CommitToken;
}

/**
 * A node that a commit created, changed or removed:
 *
 *     { uid: 1, type: "Author", what: "changed", fields: ["Author.name"] }
 */
export interface ChangedNode {
  readonly uid: Uid;
  readonly type: TypeName;
  /** What the commit did in total: a node that it created and set is `created`. */
  readonly what: "created" | "changed" | "removed";
  /** Of a changed node: the fields that have another value now. */
  readonly fields: readonly FieldName[];
}

/**
 * A link that a commit added or removed. One record for both sides: `posts` of an author and `author` of the post change together.
 *
 *     { edge: "Author.posts|Post.author", from: 7, to: 3, on: true }
 */
export interface ChangedLink {
  readonly edge: EdgeName;
  /** The node at the edge's first side (`EdgeLayout.sides[0]`). */
  readonly from: Uid;
  /** The node at the other side. */
  readonly to: Uid;
  /** True: added. False: removed. */
  readonly on: boolean;
}

/** An index entry that a commit added or removed. A live query that looked up the entry's key is affected, others by this index are not. */
export interface ChangedEntry {
  readonly index: IndexName;
  /** Of a token index the token, of a value index the value. */
  readonly key: Token | Value;
  /** The node that the entry leads to. */
  readonly uid: Uid;
  /** True: added. False: removed. */
  readonly on: boolean;
}
