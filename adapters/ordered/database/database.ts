// The open database: engine, catalog, structures, and the single write path.

import {
  type ChangeRecord,
  type CommitToken,
  type Committed,
  type Json,
  type Layout,
  type MaybePromise,
  QuernError,
  type Uid,
} from "../../../core/storage.ts";
import { CommitFeed, DeferredRecord, RecordedCommit } from "../../storage-kit/index.ts";
import type { OrderedStore, StoreView } from "../ground/store.ts";
import { tokenOf } from "../ground/tokens.ts";
import { unseal } from "../keyspaces/checksum.ts";
import { type Codec, jsonCodec } from "../keyspaces/codec.ts";
import { Engine } from "../keyspaces/engine.ts";
import type { ReaderView } from "../keyspaces/epoch.ts";
import { damagedNotes, FormatNote, formatOf, notes } from "../keyspaces/format.ts";
import { type EntryView, Keyspace } from "../keyspaces/keyspace.ts";
import { type Catalog, catalogIn, emptyCatalog, withoutBuild } from "../layout/catalog.ts";
import { entryName } from "../layout/entry-name.ts";
import { buildLayoutRuntime, type LayoutRuntime } from "../layout/layout-runtime.ts";
import { Registry } from "../structures/registry.ts";
import { InterruptedBuild } from "../write/interrupted-build.ts";
import { type Building, type Maintenance, maintenanceOf } from "../write/maintenance.ts";

export interface DatabaseOptions {
  readonly cacheBytes: number;
  readonly sync: boolean;
  /** An existing feed with its listeners; by default a new one. */
  readonly feed?: CommitFeed;
  /** Called when a write has failed, so that the store takes no more of them. */
  readonly failed?: (database: Database) => void;
}

/** The layout before the first deploy. */
export const emptyDatabaseLayout: Layout = { types: [], fields: [], edges: [], indexes: [], keys: [] };

/** Every commit writes this note: it is not weighed by its text. */
const headCodec: Codec<Json> = { ...jsonCodec, weigh: () => 200 };

/** The key of a keyspace with a single entry. */
const only = "";

/** The change record of a transaction, made when a listener needs it. The last thousand commits keep theirs: it holds what the record names, and no more. */
export interface CommitDetails {
  readonly weight: number;
  record(token: CommitToken): ChangeRecord;
}

export interface Outcome<T> {
  readonly result: T;
  /** False: nothing was written. */
  readonly wrote: boolean;
  readonly changes?: CommitDetails;
  /** Runs when the commit is durable. */
  readonly published?: () => void;
}

export class Database {
  readonly store: OrderedStore;
  readonly engine: Engine;
  readonly registry: Registry;
  readonly meta: Keyspace<string, Json>;
  readonly feed: CommitFeed;
  readonly #head: Keyspace<string, Json>;
  readonly #catalogEntries: Keyspace<string, Json>;
  #catalog: Catalog;
  /** Ahead of `#catalog` while a change of it is being written. */
  #stagedCatalog: Catalog;
  #schema: LayoutRuntime;
  #maintenance: Maintenance;
  #building: Building | undefined;
  #nextUid: Uid;
  readonly #failed: DatabaseOptions["failed"];
  /** Layouts that were deployed while this process ran: requests planned under them may still read. */
  readonly #layouts = new Map<number, Layout>();
  readonly #earlier = new Map<number, LayoutRuntime>();

  /** Opens the store's own data; the store itself is open and of this version's format. */
  constructor(store: OrderedStore, options: DatabaseOptions) {
    this.store = store;
    this.#failed = options.failed;
    const head = readNote(store, notes.head);
    const catalog = readNote(store, notes.catalog);
    this.engine = new Engine(store, {
      ...options,
      nameOf: (key) => entryName({ catalog: this.#catalog, schema: this.#schema, view: this.writerView }, key),
    });
    this.engine.start(numberIn(head, "commit") ?? 0);
    this.#nextUid = numberIn(head, "nextUid") ?? 1;
    this.engine.freshUids = this.#nextUid;
    this.#head = new Keyspace(this.engine, { prefix: notes.head, textOf: (text) => text, codec: headCodec });
    this.#catalogEntries = new Keyspace(this.engine, { prefix: notes.catalog, textOf: (text) => text, codec: jsonCodec });
    this.meta = new Keyspace(this.engine, { prefix: "m/", textOf: (text) => text, codec: jsonCodec });
    if (formatOf(store) === undefined) this.engine.accompany(new FormatNote());
    this.registry = new Registry(this.engine);
    this.feed = options.feed ?? new CommitFeed(this.latest());
    this.#catalog = catalog === undefined ? emptyCatalog : withoutLostBuild(catalogIn(catalog), head);
    assertCatalogOf(head, this.#catalog);
    this.#stagedCatalog = this.#catalog;
    this.#schema = buildLayoutRuntime(emptyDatabaseLayout, this.#catalog, this.registry);
    this.#maintenance = maintenanceOf(this.#schema, this.#interrupted());
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  /** The catalog as the writer sees it: call it only in the writer's turn. */
  get stagedCatalog(): Catalog {
    return this.#stagedCatalog;
  }

  /** The deployed layout. */
  get schema(): LayoutRuntime {
    return this.#schema;
  }

  get maintenance(): Maintenance {
    return this.#maintenance;
  }

  get nextUid(): Uid {
    return this.#nextUid;
  }

  latest(): CommitToken {
    return tokenOf(this.engine.published);
  }

  /** The layout that a request of `version` was planned for, as far as its structures are still there. */
  schemaFor(version: number): LayoutRuntime {
    if (version === this.#schema.version) return this.#schema;
    const known = this.#earlier.get(version);
    if (known !== undefined) return known;
    const layout = this.#layouts.get(version);
    if (layout === undefined) return this.#schema;
    const schema = { ...buildLayoutRuntime(layout, this.#catalog, this.registry), version };
    this.#earlier.set(version, schema);
    return schema;
  }

  /**
   * Puts a layout in force. `catalog` is durable. Writers go on to maintain a layout that is being built, unless it is this one: the sweep of
   * an earlier deploy changes the catalog too.
   */
  adopt(layout: Layout, catalog: Catalog): void {
    this.#catalog = catalog;
    this.#schema = buildLayoutRuntime(layout, catalog, this.registry);
    this.#layouts.set(catalog.version, layout);
    this.#earlier.clear();
    this.keepUp(this.#building?.schema?.version === catalog.version ? undefined : this.#building);
  }

  /** Sets the functions of the deployed layout. */
  handIn(layout: Layout): void {
    this.adopt(layout, this.#catalog);
  }

  /** Makes writers maintain the structures of another layout too, until called without one. */
  keepUp(building?: Building): void {
    this.#building = building;
    this.#maintenance = maintenanceOf(this.#schema, building ?? this.#interrupted());
  }

  /** A build that goes on later must know what changes until then. */
  #interrupted(): Building | undefined {
    const { build } = this.#catalog;
    return build && { schema: undefined, observer: new InterruptedBuild(this.registry.buildLog(build.log), this.writerView) };
  }

  read(): ReaderView {
    return this.engine.read();
  }

  get writerView(): EntryView {
    return this.engine.writer;
  }

  takeUids(count: number): Uid[] {
    const first = this.#nextUid;
    if (first + count > Number.MAX_SAFE_INTEGER) throw new QuernError("TOO_LARGE", "there are no more ids to give");
    this.#nextUid += count;
    // Most transactions ask for one: `Array.from` takes longer than the rest of this.
    return count === 1 ? [first] : Array.from({ length: count }, (_, i) => first + i);
  }

  claimUid(uid: Uid): void {
    if (uid >= this.#nextUid) this.#nextUid = uid + 1;
  }

  /** Changes the catalog in a commit of its own. */
  async changeCatalog(change: (catalog: Catalog) => Catalog): Promise<void> {
    await this.write(() => this.catalogChange(change(this.#stagedCatalog)));
  }

  /** Nobody goes on with an interrupted build: for changes that it could not follow. */
  async dropBuild(): Promise<void> {
    if (this.#catalog.build !== undefined) await this.changeCatalog(withoutBuild);
  }

  /** The outcome of a write that makes `catalog` the one in force, and `layout` the deployed one. By default that is the one of then: it may be handed in until then. */
  catalogChange(catalog: Catalog, layout?: Layout): Outcome<undefined> {
    this.#stagedCatalog = catalog;
    this.#catalogEntries.put(only, JSON.parse(JSON.stringify(catalog)));
    return { result: undefined, wrote: true, published: () => this.adopt(layout ?? this.#schema.layout, catalog) };
  }

  /** Waits for the writer's turn, runs `work` alone, and resolves when what it wrote is durable. */
  async write<T>(work: () => MaybePromise<Outcome<T>>): Promise<Committed<T>> {
    this.engine.assertWritable();
    const turn = this.engine.turn();
    if (turn !== undefined) await turn;
    let durable: Promise<void> | undefined;
    let written: Committed<T>;
    try {
      this.engine.assertWritable();
      const pending = work();
      const outcome = isThenable(pending) ? await pending : pending;
      if (outcome.wrote) {
        const { result, published } = outcome;
        const commit = this.engine.stagedAt + 1;
        const token = tokenOf(commit);
        const record = outcome.changes && new DeferredRecord(token, outcome.changes);
        durable = this.#commit(commit, published, record);
        written = record === undefined ? { result, token } : new RecordedCommit(result, token, () => record.record());
      } else {
        this.engine.rollback();
        durable = this.engine.settled();
        written = { result: outcome.result, token: tokenOf(this.engine.stagedAt) };
      }
    } catch (reason) {
      this.engine.rollback();
      throw reason;
    } finally {
      this.engine.done();
    }
    try {
      await durable;
    } catch (reason) {
      if (this.engine.failure !== undefined) this.#failed?.(this);
      throw reason;
    }
    return written;
  }

  /** What the engine keeps of a commit until it is durable holds nothing of its transaction. */
  #commit(commit: number, published: Outcome<unknown>["published"], record: DeferredRecord | undefined): Promise<void> {
    const nextUid = this.#nextUid;
    const { build, version } = this.#stagedCatalog;
    this.#head.put(only, build === undefined ? { commit, nextUid, version } : { commit, nextUid, version, build: build.log });
    return this.engine.commit(commit, () => {
      this.engine.freshUids = nextUid;
      published?.();
      if (record !== undefined) this.feed.publish(record);
    });
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}

/** A program that does not know of builds that go on leaves its commits unmarked: what they changed was not noted, so the build begins anew. */
function withoutLostBuild(catalog: Catalog, head: Json | undefined): Catalog {
  return catalog.build?.log === numberIn(head, "build") ? catalog : withoutBuild(catalog);
}

/** An earlier catalog, or none, is a damaged store. Heads of earlier programs name no version. */
function assertCatalogOf(head: Json | undefined, { version }: Catalog): void {
  if ((numberIn(head, "version") ?? version) !== version) throw damagedNotes(new Error("the catalog is missing, or an earlier one"));
}

export function isThenable<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** A note of the store about itself, as JSON. */
export function readNote(store: OrderedStore, key: string, view?: StoreView): Json | undefined {
  const bytes = store.getSync(key, view);
  if (bytes === undefined) return undefined;
  try {
    return jsonCodec.decode(unseal(key, bytes));
  } catch (cause) {
    throw damagedNotes(cause);
  }
}

export function numberIn(json: Json | undefined, name: string): number | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const value = Object.entries(json).find(([key]) => key === name)?.[1];
  return typeof value === "number" ? value : undefined;
}
