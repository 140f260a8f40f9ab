// The open database: engine, catalog, structures, and the one way in which anything is written.

import {
  type ChangeRecord,
  type CommitToken,
  type Committed,
  type Json,
  type Layout,
  type MaybePromise,
  QuernError,
  type Uid,
} from "../../core/index.ts";
import { CommitFeed, cachedRecord, RecordedCommit } from "../storage-kit/index.ts";
import { type Catalog, emptyCatalog, formatVersion } from "./deploy/catalog.ts";
import { buildLayoutRuntime, type LayoutRuntime } from "./deploy/layout-runtime.ts";
import { jsonCodec } from "./keyspaces/codec.ts";
import { Engine, type ReaderView } from "./keyspaces/engine.ts";
import { type EntryView, Keyspace } from "./keyspaces/keyspace.ts";
import type { OrderedStore } from "./store.ts";
import { Registry } from "./structures/registry.ts";
import { tokenOf } from "./tokens.ts";
import { type BuildObserver, type Maintenance, maintenanceOf } from "./write/maintenance.ts";

export interface DatabaseOptions {
  readonly cacheBytes: number;
  readonly sync: boolean;
  /** Takes the place of a new one, with its listeners. */
  readonly feed?: CommitFeed;
}

/** A layout that is being built, and who wants to hear what is written meanwhile. */
interface Building {
  readonly schema: LayoutRuntime;
  readonly observer: BuildObserver;
}

const emptyLayout: Layout = { types: [], fields: [], edges: [], indexes: [], keys: [] };

/** A key of a keyspace with one cell. */
const only = "";

/** The change record of a transaction, made when a listener needs it. */
export interface CommitDetails {
  readonly weight: number;
  record(token: CommitToken): ChangeRecord;
}

export interface Outcome<T> {
  readonly result: T;
  /** False: nothing was written. */
  readonly wrote: boolean;
  readonly changes?: CommitDetails;
  /** Runs when it is durable. */
  readonly published?: () => void;
}

export class Database {
  readonly store: OrderedStore;
  readonly engine: Engine;
  readonly registry: Registry;
  readonly meta: Keyspace<string, Json>;
  readonly feed: CommitFeed;
  readonly #head: Keyspace<string, Json>;
  readonly #catalogCells: Keyspace<string, Json>;
  #catalog: Catalog;
  /** Ahead of `#catalog` while a change of it is being written. */
  #stagedCatalog: Catalog;
  #stagedLayout: Layout;
  #schema: LayoutRuntime;
  #maintenance: Maintenance;
  #building: Building | undefined;
  #nextUid: Uid;
  /** Layouts that were deployed while this process ran: requests planned under them may still read. */
  readonly #layouts = new Map<number, Layout>();
  readonly #earlier = new Map<number, LayoutRuntime>();

  /** Opens the store's own data; the store itself is open. */
  constructor(store: OrderedStore, options: DatabaseOptions) {
    this.store = store;
    const head = readJson(store, "h/");
    const catalog = readJson(store, "c/");
    this.engine = new Engine(store, options);
    this.engine.start(numberIn(head, "commit") ?? 0);
    this.#nextUid = numberIn(head, "nextUid") ?? 1;
    this.engine.freshUids = this.#nextUid;
    this.#head = new Keyspace(this.engine, { prefix: "h/", textOf: (text) => text, codec: jsonCodec });
    this.#catalogCells = new Keyspace(this.engine, { prefix: "c/", textOf: (text) => text, codec: jsonCodec });
    this.meta = new Keyspace(this.engine, { prefix: "m/", textOf: (text) => text, codec: jsonCodec });
    this.registry = new Registry(this.engine);
    this.feed = options.feed ?? new CommitFeed(this.latest());
    this.#catalog = catalog === undefined ? emptyCatalog : asCatalog(catalog);
    this.#stagedCatalog = this.#catalog;
    this.#stagedLayout = emptyLayout;
    this.#schema = buildLayoutRuntime(emptyLayout, this.#catalog, this.registry);
    this.#maintenance = maintenanceOf(this.#schema);
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  /** For whoever has the writer's turn. */
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
   * Makes a layout the one that reads and writes use. `catalog` is durable. What is being built is kept up further, unless this is what it was
   * built for: the sweep of an earlier deploy changes the catalog too.
   */
  adopt(layout: Layout, catalog: Catalog): void {
    this.#catalog = catalog;
    this.#schema = buildLayoutRuntime(layout, catalog, this.registry);
    this.#layouts.set(catalog.version, layout);
    this.#earlier.clear();
    this.keepUp(this.#building?.schema.version === catalog.version ? undefined : this.#building);
  }

  /** Takes the functions of a layout that is the deployed one already. */
  handIn(layout: Layout): void {
    this.#stagedLayout = layout;
    this.adopt(layout, this.#catalog);
  }

  /** Keeps up another layout's structures too, until called without one. */
  keepUp(building?: Building): void {
    this.#building = building;
    this.#maintenance = maintenanceOf(this.#schema, building);
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
    return Array.from({ length: count }, (_, i) => first + i);
  }

  claimUid(uid: Uid): void {
    if (uid >= this.#nextUid) this.#nextUid = uid + 1;
  }

  /** Changes what the store remembers of layouts, as a commit of its own. */
  async changeCatalog(change: (catalog: Catalog) => Catalog): Promise<void> {
    await this.write(() => this.catalogChange(change(this.#stagedCatalog)));
  }

  /** The outcome of a write that makes `catalog` the one in force, and `layout` the deployed one. */
  catalogChange(catalog: Catalog, layout: Layout = this.#stagedLayout): Outcome<undefined> {
    this.#stagedCatalog = catalog;
    this.#stagedLayout = layout;
    this.#catalogCells.put(only, JSON.parse(JSON.stringify(catalog)));
    return { result: undefined, wrote: true, published: () => this.adopt(layout, catalog) };
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
        const commit = this.engine.stagedAt + 1;
        this.#head.put(only, { commit, nextUid: this.#nextUid });
        const token = tokenOf(commit);
        const { changes } = outcome;
        const recordOf = changes && cachedRecord((at) => changes.record(at));
        const { published } = outcome;
        const nextUid = this.#nextUid;
        durable = this.engine.commit(commit, () => {
          this.engine.freshUids = nextUid;
          published?.();
          if (recordOf !== undefined) this.feed.publish({ token, weight: changes?.weight ?? 0, record: () => recordOf(token) });
        });
        written = recordOf === undefined ? { result: outcome.result, token } : new RecordedCommit(outcome.result, token, recordOf);
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
    await durable;
    return written;
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}

export function isThenable<T>(value: MaybePromise<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function readJson(store: OrderedStore, key: string): Json | undefined {
  const bytes = store.getSync(key);
  if (bytes === undefined) return undefined;
  try {
    return jsonCodec.decode(bytes);
  } catch (cause) {
    throw new QuernError("STORE_CORRUPT", "the store's own notes cannot be read", { cause, hint: "Restore a backup, or export what can be read." });
  }
}

function numberIn(json: Json | undefined, name: string): number | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const value = Object.entries(json).find(([key]) => key === name)?.[1];
  return typeof value === "number" ? value : undefined;
}

/** The catalog's parser: what we wrote ourselves, of the format we know. */
function asCatalog(json: Json): Catalog {
  const format = numberIn(json, "format");
  if (format === formatVersion) return withoutUnfinished(json as unknown as Catalog);
  throw new QuernError("STORE_CORRUPT", `the store has format ${format ?? "unknown"}, this version reads format ${formatVersion}`, {
    hint: "Open it with the version that made it and export the data.",
  });
}

/** A migration that was cut off leaves garbage. */
function withoutUnfinished(catalog: Catalog): Catalog {
  return { ...catalog, garbage: [...catalog.garbage, ...catalog.unfinished], unfinished: [] };
}
