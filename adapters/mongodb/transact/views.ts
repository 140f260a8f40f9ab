// Implements the kernel's `Snapshot` and `Transaction`.

import type {
  AggregateRequest,
  Batch,
  Change,
  CommitToken,
  FindRequest,
  FollowRequest,
  Group,
  GroupRequest,
  Json,
  Links,
  LoadRequest,
  MeasureRow,
  NodeRef,
  Snapshot,
  Transaction,
  TypeName,
  Uid,
} from "../../../core/storage.ts";
import type { Doc } from "../connection/connection.ts";
import type { Database } from "../database/database.ts";
import { metaCollection } from "../layout/names.ts";
import { aggregate } from "../read/aggregate.ts";
import { find } from "../read/find.ts";
import { follow } from "../read/follow.ts";
import { group } from "../read/group.ts";
import { load } from "../read/load.ts";
import type { Reader } from "../read/reader.ts";
import type { SessionSource } from "../session/source.ts";
import type { Holds } from "../write/holds.ts";
import { setAt } from "../write/link-states.ts";
import type { Writer } from "../write/writer.ts";

export class MongoSnapshot implements Snapshot {
  readonly at: CommitToken;
  readonly #reader: Reader;

  constructor(options: { readonly at: CommitToken; readonly reader: Reader }) {
    this.at = options.at;
    this.#reader = options.reader;
  }

  find(request: FindRequest): Promise<Batch> {
    return find(this.#reader, request);
  }

  follow(request: FollowRequest): Promise<Links> {
    return follow(this.#reader, request);
  }

  load(request: LoadRequest): Promise<Batch> {
    return load(this.#reader, request);
  }

  aggregate(request: AggregateRequest): Promise<readonly MeasureRow[]> {
    return aggregate(this.#reader, request);
  }

  group(request: GroupRequest): Promise<readonly Group[]> {
    return group(this.#reader, request);
  }

  async meta(name: string): Promise<Json | undefined> {
    let found: Doc | undefined;
    await this.#reader.source.aggregate({ collection: metaCollection, pipeline: [{ $match: { _id: name } }], budget: undefined }, (docs) => {
      [found] = docs;
      return false;
    });
    return found === undefined ? undefined : JSON.parse(String(found.json));
  }

  close(): void {}
}

export interface TransactionOptions {
  readonly at: CommitToken;
  readonly reader: Reader;
  readonly database: Database;
  readonly source: SessionSource;
  readonly writer: Writer;
  readonly holds: Holds;
  readonly uids: (count: number) => Promise<readonly Uid[]>;
}

export class MongoTransaction extends MongoSnapshot implements Transaction {
  readonly #options: TransactionOptions;
  /** The transaction wrote meta entries. */
  wroteMeta = false;
  /** An error of the database: the transaction is over, even if `work` catches the error. */
  #refused: { readonly reason: unknown } | undefined;

  constructor(options: TransactionOptions) {
    super(options);
    this.#options = options;
  }

  uids(count: number): Promise<readonly Uid[]> {
    return this.#options.uids(count);
  }

  async hold(nodes: readonly NodeRef[]): Promise<void> {
    const byType = new Map<TypeName, Set<Uid>>();
    for (const { uid, type } of nodes) setAt(byType, type).add(uid);
    this.#options.holds.later(byType);
  }

  /** Holds what no write has held. */
  holdPending(): Promise<void> {
    return this.#options.holds.holdPending();
  }

  write(changes: readonly Change[]): Promise<void> {
    this.#options.reader.partners.forget();
    return this.#refusing(this.#options.writer.write(changes));
  }

  async setMeta(name: string, value: Json): Promise<void> {
    this.wroteMeta = true;
    const collection = this.#options.database.connection.collection(metaCollection);
    await this.#refusing(
      this.#options.source.inTurn<unknown>((session) =>
        value === null
          ? collection.deleteOne({ _id: name }, { session })
          : collection.replaceOne({ _id: name }, { json: JSON.stringify(value) }, { session, upsert: true }),
      ),
    );
  }

  async #refusing<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (reason) {
      this.#refused = { reason };
      throw reason;
    }
  }

  /** Throws the error of the database that `work` may have caught. */
  assertWhole(): void {
    if (this.#refused !== undefined) throw this.#refused.reason;
  }
}
