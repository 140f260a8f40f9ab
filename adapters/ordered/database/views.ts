// Implements the kernel's `Snapshot` and `Transaction` with a reader and a writer.

import {
  type AggregateRequest,
  type Batch,
  type Change,
  type CommitToken,
  type FindRequest,
  type FollowRequest,
  type Group,
  type GroupRequest,
  type Json,
  type Links,
  type LoadRequest,
  type MaybePromise,
  type MeasureRow,
  run,
  type Snapshot,
  type Transaction,
  type Uid,
} from "../../../core/storage.ts";
import type { EntryView, Keyspace } from "../keyspaces/keyspace.ts";
import { aggregate } from "../read/aggregate.ts";
import { find } from "../read/find.ts";
import { findNamed, loadFew } from "../read/find-named.ts";
import { follow } from "../read/follow.ts";
import { group } from "../read/group.ts";
import { load } from "../read/load.ts";
import type { Reader } from "../read/reader.ts";
import type { Writer } from "../write/writer.ts";

export type MetaKeyspace = Keyspace<string, Json>;

export class OrderedSnapshot implements Snapshot {
  readonly at: CommitToken;
  readonly #reader: Reader;
  readonly #meta: MetaKeyspace;
  readonly #release: (() => void) | undefined;

  constructor(options: { readonly at: CommitToken; readonly reader: Reader; readonly meta: MetaKeyspace; readonly release?: () => void }) {
    this.at = options.at;
    this.#reader = options.reader;
    this.#meta = options.meta;
    this.#release = options.release;
  }

  find(request: FindRequest): MaybePromise<Batch> {
    return findNamed(this.#reader, request) ?? run(find(this.#reader, request), this.#reader.turns);
  }

  follow(request: FollowRequest): MaybePromise<Links> {
    return run(follow(this.#reader, request), this.#reader.turns);
  }

  load(request: LoadRequest): MaybePromise<Batch> {
    return loadFew(this.#reader, request) ?? run(load(this.#reader, request), this.#reader.turns);
  }

  aggregate(request: AggregateRequest): MaybePromise<readonly MeasureRow[]> {
    return run(aggregate(this.#reader, request), this.#reader.turns);
  }

  group(request: GroupRequest): MaybePromise<readonly Group[]> {
    return run(group(this.#reader, request), this.#reader.turns);
  }

  meta(name: string): Json | undefined {
    return this.#meta.read(name, this.#reader.view);
  }

  close(): void {
    this.#release?.();
  }
}

export class OrderedTransaction extends OrderedSnapshot implements Transaction {
  readonly #writer: Writer;
  readonly #meta: MetaKeyspace;
  readonly #view: EntryView;
  readonly #uids: (count: number) => Uid[];
  /** The transaction wrote meta entries. */
  wroteMeta = false;

  constructor(options: {
    readonly at: CommitToken;
    readonly reader: Reader;
    readonly meta: MetaKeyspace;
    readonly writer: Writer;
    readonly uids: (count: number) => Uid[];
  }) {
    super(options);
    this.#writer = options.writer;
    this.#meta = options.meta;
    this.#view = options.reader.view;
    this.#uids = options.uids;
  }

  uids(count: number): readonly Uid[] {
    return this.#uids(count);
  }

  /** Does nothing: transactions run one after another, so no other one changes a node. */
  hold(): void {}

  write(changes: readonly Change[]): MaybePromise<void> {
    return run(this.#writer.write(changes), this.#writer.turns);
  }

  setMeta(name: string, value: Json): void {
    this.wroteMeta = true;
    this.#meta.put(name, value === null ? undefined : value);
  }
}
