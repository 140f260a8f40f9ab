// A Storage for a thread that reads along with the one that has the store open. It serves the layout that was deployed when it opened; after another
// deploy it opens no view any more, and its thread begins anew.

import {
  type Deployed,
  type Layout,
  type LayoutComparison,
  type MetaNamesRequest,
  QuernError,
  type ReadOptions,
  type Snapshot,
  type Storage,
} from "../../../core/storage.ts";
import { isDeployedLayout } from "../../storage-kit/index.ts";
import { emptyDatabaseLayout, numberIn, readNote } from "../database/database.ts";
import { type MetaKeyspace, OrderedSnapshot } from "../database/views.ts";
import { deployedOf } from "../deploy/migrate.ts";
import type { OrderedStore, StoreView } from "../ground/store.ts";
import { tokenOf } from "../ground/tokens.ts";
import { jsonCodec } from "../keyspaces/codec.ts";
import { notes } from "../keyspaces/format.ts";
import { Keyspace } from "../keyspaces/keyspace.ts";
import { type Catalog, catalogIn, emptyCatalog } from "../layout/catalog.ts";
import { entryName } from "../layout/entry-name.ts";
import { buildLayoutRuntime, type LayoutRuntime } from "../layout/layout-runtime.ts";
import { Reader } from "../read/reader.ts";
import { Registry } from "../structures/registry.ts";
import { FollowerEngine } from "./follower-engine.ts";
import type { Seat } from "./seat.ts";

interface Opened {
  readonly engine: FollowerEngine;
  readonly registry: Registry;
  readonly meta: MetaKeyspace;
  readonly catalog: Catalog;
}

export class FollowerStorage implements Storage {
  readonly name: string;
  readonly folder: string | undefined;
  readonly supports = { detailedChanges: true, linked: true, collation: true, seek: true, nearest: true };
  readonly #store: OrderedStore;
  readonly #seat: Seat;
  #opened: Opened | undefined;
  #schema: LayoutRuntime | undefined;
  /** The catalog is another one than that which this storage serves. */
  #isStale = false;

  constructor(store: OrderedStore, seat: Seat) {
    this.name = store.name;
    this.folder = store.folder;
    this.#store = store;
    this.#seat = seat;
  }

  async open(): Promise<void> {
    await this.#store.open();
    const commitIn = (view: StoreView) => numberIn(readNote(this.#store, notes.head, view), "commit") ?? 0;
    const engine = new FollowerEngine({
      store: this.#store,
      seat: this.#seat,
      commitIn,
      catalogChanged: (view) => this.#compareCatalog(view),
      nameOf: (key) => this.#entryName(key),
    });
    const view = engine.read();
    try {
      const catalog = this.#catalogIn(view.storeView());
      const registry = new Registry(engine);
      const meta = new Keyspace(engine, { prefix: "m/", textOf: (text: string) => text, codec: jsonCodec });
      this.#opened = { engine, registry, meta, catalog };
      this.#schema = buildLayoutRuntime(emptyDatabaseLayout, catalog, registry);
    } finally {
      view.close();
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    opened.engine.close();
    await this.#store.close();
  }

  #catalogIn(view: StoreView | undefined): Catalog {
    const json = readNote(this.#store, notes.catalog, view);
    return json === undefined ? emptyCatalog : catalogIn(json);
  }

  #entryName(key: string): string {
    const { engine, catalog } = this.#open;
    if (this.#schema === undefined) return `the entry ${JSON.stringify(key)}`;
    const view = engine.read();
    try {
      return entryName({ catalog, schema: this.#schema, view }, key);
    } finally {
      view.close();
    }
  }

  #compareCatalog(view: StoreView): void {
    if (this.#opened !== undefined && served(this.#catalogIn(view)) !== served(this.#opened.catalog)) this.#isStale = true;
  }

  get #open(): Opened {
    if (this.#opened === undefined) throw new QuernError("STORE_CLOSED", "the store is not open");
    return this.#opened;
  }

  /** Throws also `STALE_LAYOUT`, after another layout was deployed. */
  snapshot(options: ReadOptions): Snapshot {
    const { engine, meta } = this.#open;
    const view = engine.read();
    const at = tokenOf(view.at);
    const refused = this.#refusal(options, at);
    if (refused !== undefined || this.#schema === undefined) {
      view.close();
      throw refused ?? new QuernError("STORE_CLOSED", "the store is not open");
    }
    const reader = new Reader({ view, schema: this.#schema, budget: options.budget });
    return new OrderedSnapshot({ at, reader, meta, release: () => view.close() });
  }

  #refusal({ after }: ReadOptions, at: string): QuernError | undefined {
    if (this.#isStale) return new QuernError("STALE_LAYOUT", "another schema was deployed meanwhile; try again");
    return after !== undefined && after > at ? new QuernError("VIEW_EXPIRED", "the commit asked for is not here") : undefined;
  }

  latest(): string {
    return tokenOf(this.#open.engine.published);
  }

  deployed(): Deployed | undefined {
    return deployedOf(this.#open.catalog);
  }

  /** Takes the functions of the deployed layout. Any other one is `STALE_LAYOUT`. */
  async migrate(layout: Layout, document: string): Promise<Deployed> {
    const { catalog, registry } = this.#open;
    if (catalog.document !== document || !isDeployedLayout(catalog, layout)) {
      throw new QuernError("MIGRATION_REFUSED", "the configuration of this thread makes another layout of the deployed schema than the server's");
    }
    this.#schema = { ...buildLayoutRuntime(layout, catalog, registry), version: catalog.version };
    return { version: catalog.version, document };
  }

  async metaNames({ prefix, after = "", first }: MetaNamesRequest): Promise<readonly string[]> {
    const { engine, meta } = this.#open;
    const view = engine.read();
    try {
      return await meta.keys({ prefix, from: `${after}\0`, first }, view);
    } finally {
      view.close();
    }
  }

  /** The writer's thread has the feed. */
  changes(): () => void {
    return () => undefined;
  }

  deploys(): () => void {
    return () => undefined;
  }

  async statistics(): Promise<Readonly<Record<string, number>>> {
    const { cache } = this.#open.engine;
    return { cacheBytes: cache.bytes, cacheMaxBytes: cache.maxBytes, cacheAgedTotal: cache.aged };
  }

  async transact(): Promise<never> {
    throw readsOnly();
  }

  async compare(): Promise<LayoutComparison> {
    throw readsOnly();
  }

  async erase(): Promise<void> {
    throw readsOnly();
  }

  async verify(): Promise<never> {
    throw readsOnly();
  }
}

/** The part of a catalog that readers depend on: not what is being built, nor what nobody reads any more. */
function served({ garbage: _garbage, unfinished: _unfinished, build: _build, nextId: _nextId, ...rest }: Catalog): string {
  return JSON.stringify(rest);
}

function readsOnly(): QuernError {
  return new QuernError("STORE_UNAVAILABLE", "this thread only reads the store; its server's main thread writes");
}
