// What a request reads and writes: a view of one commit, and a transaction.

import type { CommitToken, Json, MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import type { Budget } from "../budget.ts";
import type { Change } from "../change.ts";
import type { AggregateRequest, FindRequest, FollowRequest, GroupRequest, LoadRequest } from "./requests.ts";
import type { Batch, Group, Links, MeasureRow } from "./results.ts";

/** What a snapshot or a transaction reads, and under which limits. */
export interface ReadOptions {
  /**
   * The layout version (`Deployed.version`) that the request was planned for. When another layout has been deployed since, reads continue
   * under the version given, and writes fail with `STALE_LAYOUT`.
   */
  readonly version: number;
  /** The limits of the request. The storage calls `spend` as it reads and writes. */
  readonly budget?: Budget;
  /** Read-your-writes: the view contains this commit. The storage waits for it, or throws `VIEW_EXPIRED`. */
  readonly after?: CommitToken;
  /** For diagnostics: called with the text of each query that is sent to a database server, in the syntax of its shell. */
  readonly sent?: (query: string) => void;
  /** For diagnostics: called with each way that the storage takes where sizes decide which one is quicker, in a line. It may tell sizes of what the caller may not see. */
  readonly chosen?: (way: string) => void;
}

/** A consistent, read-only view. */
export interface Snapshot {
  /** The commit that this view shows. */
  readonly at: CommitToken;
  /** The nodes of `types` that satisfy `where`, in `order`, cut to `page`. Without an order: by uid, ascending. */
  find(request: FindRequest): MaybePromise<Batch>;
  /** For each of `from`, in that order: the nodes at the other side of `end` that satisfy `where`, in `order`, cut to `page`. */
  follow(request: FollowRequest): MaybePromise<Links>;
  /** The nodes with these uids, in that order and with the same repeats. Unknown uids and nodes of other types are left out. */
  load(request: LoadRequest): MaybePromise<Batch>;
  /** Aggregates over the result of a `find` (one row) or of a `follow` (one row for each of `from`, in that order). */
  aggregate(request: AggregateRequest): MaybePromise<readonly MeasureRow[]>;
  /**
   * The nodes of a `find` in groups of equal keys, with aggregates of each group; the groups in any order. Absent: the kernel reads the nodes and groups
   * them. A storage has it where it can do better, and may group what it must read itself with `Grouping`. Each new group spends `nodesOfGroup` of the budget.
   */
  group?(request: GroupRequest): MaybePromise<readonly Group[]>;
  /** The metadata that the kernel or a plugin stored under `name`; undefined when there are none. */
  meta(name: string): MaybePromise<Json | undefined>;
  /** Releases the view. No other method is called afterwards. */
  close(): void;
}

/** A read-write view. Reads see the transaction's own writes. */
export interface Transaction extends Snapshot {
  /** Allocates `count` uids, ascending. The uids of a transaction that fails are never allocated again. */
  uids(count: number): MaybePromise<readonly Uid[]>;
  /**
   * Protects a decision that depends on these nodes: the commit conflicts, and `work` runs again, when another transaction changes or
   * removes one of them. Required for each node whose state decides what is written; not for a node only because it is linked to, as no link
   * leads to a node that is removed concurrently.
   */
  hold(nodes: readonly NodeRef[]): MaybePromise<void>;
  /**
   * Applies changes to this transaction's view, in order.
   *
   * @throws `KEY_TAKEN` or `END_TAKEN`; `details` names the node that holds the key or the end
   */
  write(changes: readonly Change[]): MaybePromise<void>;
  /** Stores small metadata under `name`. `null` deletes the name. */
  setMeta(name: string, value: Json): MaybePromise<void>;
}

/** A node, by uid and concrete type. */
export interface NodeRef {
  readonly uid: Uid;
  readonly type: TypeName;
}
