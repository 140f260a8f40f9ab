// A transaction as plugins use it: it shows that they are at work, and does nothing when it is over, whatever the storage would do then.

import type { Change } from "../../contracts/change.ts";
import type { ChangesTransaction } from "../../contracts/plugin/mutation-hooks.ts";
import type { AggregateRequest, FindRequest, FollowRequest, LoadRequest } from "../../contracts/storage/requests.ts";
import type { Batch, Links, MeasureRow } from "../../contracts/storage/results.ts";
import type { NodeRef, Snapshot, Transaction } from "../../contracts/storage/snapshot.ts";
import { type Patience, patience } from "../../ground/patience.ts";
import type { TransactionScope } from "../../ground/transaction-scope.ts";
import type { CommitToken, Json, MaybePromise, Uid } from "../../ground/values/value.ts";

/** For the hooks of a mutation. Plugins keep facts about a mutation under it. */
export class HookTransaction implements ChangesTransaction {
  readonly [patience]: Patience;
  /** Present where the storage groups. */
  readonly group?: NonNullable<Snapshot["group"]>;
  protected readonly transaction: Transaction;
  protected readonly scope: TransactionScope;

  constructor(transaction: Transaction, scope: TransactionScope) {
    this.transaction = transaction;
    this.scope = scope;
    this[patience] = scope;
    if (transaction.group) this.group = (request) => scope.call(() => transaction.group?.(request) ?? []);
  }

  get at(): CommitToken {
    return this.transaction.at;
  }

  find(request: FindRequest): MaybePromise<Batch> {
    return this.scope.call(() => this.transaction.find(request));
  }

  follow(request: FollowRequest): MaybePromise<Links> {
    return this.scope.call(() => this.transaction.follow(request));
  }

  load(request: LoadRequest): MaybePromise<Batch> {
    return this.scope.call(() => this.transaction.load(request));
  }

  aggregate(request: AggregateRequest): MaybePromise<readonly MeasureRow[]> {
    return this.scope.call(() => this.transaction.aggregate(request));
  }

  meta(name: string): MaybePromise<Json | undefined> {
    return this.scope.call(() => this.transaction.meta(name));
  }

  setMeta(name: string, value: Json): MaybePromise<void> {
    return this.scope.call(() => this.transaction.setMeta(name, value));
  }

  hold(nodes: readonly NodeRef[]): MaybePromise<void> {
    return this.scope.call(() => this.transaction.hold(nodes));
  }
}

/** For work of a plugin that writes by itself. */
export class PluginTransaction extends HookTransaction implements Transaction {
  uids(count: number): MaybePromise<readonly Uid[]> {
    return this.scope.call(() => this.transaction.uids(count));
  }

  write(changes: readonly Change[]): MaybePromise<void> {
    return this.scope.call(() => this.transaction.write(changes));
  }

  close(): void {}
}
