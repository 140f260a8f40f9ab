// What a commit did, told after it is durable: the ground of live queries, audits and caches.

import type { CommitToken, EdgeName, EndName, FieldName, IndexName, Token, TypeName, Uid, Value } from "../ground/values/value.ts";

export type ChangeRecord = DetailedRecord | CoarseRecord;

export interface DetailedRecord {
  readonly kind: "detailed";
  readonly token: CommitToken;
  readonly nodes: readonly ChangedNode[];
  readonly edges: readonly ChangedLink[];
  readonly entries: readonly ChangedEntry[];
}

/** Of a commit above 10,000 nodes, or of a store without `detailedChanges`. */
export interface CoarseRecord {
  readonly kind: "coarse";
  readonly token: CommitToken;
  readonly types: readonly TypeName[];
  readonly fields: readonly FieldName[];
  readonly ends: readonly EndName[];
}

/** Records up to `token` are lost. */
export interface Gap {
  readonly kind: "gap";
  readonly token: CommitToken;
}

export interface ChangedNode {
  readonly uid: Uid;
  readonly type: TypeName;
  readonly what: "created" | "changed" | "removed";
  /** Of a changed node those that have another value now. */
  readonly fields: readonly FieldName[];
}

export interface ChangedLink {
  readonly edge: EdgeName;
  /** Seen from the edge's first side. */
  readonly from: Uid;
  readonly to: Uid;
  readonly on: boolean;
}

export interface ChangedEntry {
  readonly index: IndexName;
  /** The token, or the value of an index by value. */
  readonly key: Token | Value;
  readonly uid: Uid;
  readonly on: boolean;
}
