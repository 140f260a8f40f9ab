// Writes the links of a load: gathers them in sorted runs, writes each list once to new link stores, and puts these in the place of the empty ones in one
// commit. The catalog lists the new stores as unfinished until then: after a kill the next start sweeps them.

import { type Link, type LinkLoad, nextTurn, QuernError, TurnClock } from "../../../core/storage.ts";
import type { LinkStore } from "../../storage-kit/index.ts";
import { Scratch } from "../build/scratch.ts";
import type { Database } from "../database/database.ts";
import { isEmptyNow } from "../database/empty-structure.ts";
import { settled } from "../ground/settled.ts";
import type { StoreOperation } from "../ground/store.ts";
import { tokenOf } from "../ground/tokens.ts";
import type { Catalog } from "../layout/catalog.ts";
import { type EndRuntime, type LinkStoreRuntime, openLinkStore } from "../layout/layout-runtime.ts";
import { EdgeLoad } from "./edge-load.ts";
import { singleEnds } from "./single-ends.ts";

export interface LinkLoadOptions {
  /** Throws when the load must end. */
  readonly assertRuns: () => void;
  /** Pairs in memory before the disk is used: 16 bytes each. */
  readonly heldAtMost?: number;
  readonly sync: boolean;
}

/** Batches in flight: the store writes those that wait with one sync. */
const batchesAhead = 4;

/** 64 MiB. */
const maxHeld = 4 << 20;

/** @returns false when an edge cannot be loaded: nothing was written */
export async function loadLinks(database: Database, load: LinkLoad, options: LinkLoadOptions): Promise<boolean> {
  const loading = new LinkLoading(database, load, options);
  try {
    return (await loading.gather()) && (await loading.write()) && (await loading.publish());
  } finally {
    await loading.end();
  }
}

class LinkLoading {
  readonly #database: Database;
  readonly #load: LinkLoad;
  readonly #options: LinkLoadOptions;
  readonly #scratch: Scratch;
  /** By the id of the store that the edge has now. */
  readonly #edges = new Map<number, EdgeLoad>();
  #forgetFeed: (() => void) | undefined;
  #hasLostNodes = false;
  #isPublished = false;

  constructor(database: Database, load: LinkLoad, options: LinkLoadOptions) {
    this.#database = database;
    this.#load = load;
    this.#options = options;
    this.#scratch = new Scratch(database.store.folder);
    // A removed node takes its links along; those of the load it does not know.
    this.#forgetFeed = database.feed.listen((event) => {
      this.#hasLostNodes ||= event.kind !== "detailed" || event.nodes.some(({ what }) => what === "removed");
    }, undefined);
  }

  /** @returns false for links of an edge that cannot be loaded */
  async gather(): Promise<boolean> {
    const clock = new TurnClock();
    const { heldAtMost = maxHeld } = this.#options;
    for await (const links of this.#load.links) {
      this.#options.assertRuns();
      for (const link of links) {
        const end = this.#endOf(link);
        const edge = this.#edges.get(end.edge.store.id) ?? (await this.#begin(end));
        if (edge === undefined) return false;
        edge.add(link, end);
      }
      if (this.#held >= heldAtMost) for (const edge of this.#edges.values()) await edge.spill();
      if (!clock.isOver) continue;
      await nextTurn();
      clock.restart();
    }
    return true;
  }

  get #held(): number {
    let held = 0;
    for (const edge of this.#edges.values()) held += edge.held;
    return held;
  }

  #endOf({ end }: Link): EndRuntime {
    const { schema } = this.#database;
    if (schema.version !== this.#load.version) throw staleLayout();
    const found = schema.ends.get(end);
    if (found === undefined) throw new TypeError(`no end ${end} in the deployed layout`);
    return found;
  }

  /** Takes a new link store for the edge of an end. */
  async #begin({ edge }: EndRuntime): Promise<EdgeLoad | undefined> {
    const database = this.#database;
    const before = edge.store;
    const isPartOfKey = database.maintenance.linkedKeys.some(({ key }) => key.ends.some((end) => end.edge.store.id === before.id));
    if (isPartOfKey || !(await this.#isEmpty(before))) return undefined;
    let id = 0;
    await database.changeCatalog((catalog) => {
      id = catalog.nextId;
      return { ...catalog, nextId: id + 1, unfinished: [...catalog.unfinished, id] };
    });
    const store = database.catalog.links[before.id];
    if (store === undefined) return undefined;
    const load = new EdgeLoad({ name: edge.layout.name, before, now: openLinkStore(id, store, database.registry) }, this.#scratch);
    this.#edges.set(before.id, load);
    return load;
  }

  /** Whether a link store has no links, staged ones included. */
  async #isEmpty(links: LinkStoreRuntime): Promise<boolean> {
    const { result } = await this.#database.write(async () => ({ result: await isEmptyNow(this.#database, links.id), wrote: false }));
    return result;
  }

  /** Writes all lists: past the engine, since no commit shows these stores. */
  async write(): Promise<boolean> {
    for (const edge of this.#edges.values()) await this.#writeEdge(edge);
    return true;
  }

  async #writeEdge(edge: EdgeLoad): Promise<void> {
    const { schema, writerView } = this.#database;
    const visitOf = (side: 0 | 1) =>
      singleEnds(
        [...schema.ends.values()].filter(({ lists }) => lists === edge.stores.before.lists[side]),
        schema,
        writerView,
      );
    const { name } = edge.stores;
    let done = 0;
    const pending: Promise<void>[] = [];
    try {
      for await (const { operations, pairs } of edge.entries(visitOf)) {
        done += pairs;
        while (pending.length >= batchesAhead) await pending.shift();
        this.#options.assertRuns();
        const written = this.#batch(operations);
        // A failure is thrown when the batch is awaited.
        written.catch(() => undefined);
        pending.push(written);
        this.#load.progress?.({ what: `links of ${name}`, done, total: 0 });
      }
    } finally {
      await settled(pending);
    }
  }

  async #batch(operations: readonly StoreOperation[]): Promise<void> {
    if (operations.length > 0) await this.#database.store.batch(operations, { sync: this.#options.sync });
  }

  /** @returns false when others changed something that the load depends on */
  async publish(): Promise<boolean> {
    const database = this.#database;
    const { version, meta } = this.#load;
    await database.write(async () => {
      if (database.schema.version !== version) throw staleLayout();
      if (!(await this.#isStillSound())) return { result: undefined, wrote: false };
      const note = meta?.();
      if (note !== undefined) database.meta.put(note.name, note.value);
      this.#isPublished = true;
      if (this.#edges.size === 0) return { result: undefined, wrote: note !== undefined };
      const outcome = database.catalogChange(this.#switched(database.stagedCatalog));
      const token = tokenOf(database.engine.stagedAt + 1);
      return {
        ...outcome,
        published: () => {
          outcome.published?.();
          database.feed.lose(token);
        },
      };
    });
    return this.#isPublished;
  }

  async #isStillSound(): Promise<boolean> {
    for (const { stores } of this.#edges.values()) if (!(await isEmptyNow(this.#database, stores.before.id))) return false;
    await this.#database.engine.settled();
    return !this.#hasLostNodes;
  }

  /** The ends lead to the new stores; the empty ones are garbage. */
  #switched(catalog: Catalog): Catalog {
    const ids = new Map([...this.#edges].map(([before, { stores }]) => [before, stores.now.id]));
    const links: Record<number, LinkStore> = {};
    for (const [id, store] of Object.entries(catalog.links)) links[ids.get(Number(id)) ?? Number(id)] = store;
    return {
      ...catalog,
      links,
      ends: Object.fromEntries(Object.entries(catalog.ends).map(([name, end]) => [name, { ...end, links: ids.get(end.links) ?? end.links }])),
      unfinished: catalog.unfinished.filter((id) => ![...ids.values()].includes(id)),
      garbage: [...catalog.garbage, ...ids.keys()],
    };
  }

  /** What a load leaves that has not switched is swept. */
  async end(): Promise<void> {
    this.#forgetFeed?.();
    await this.#scratch.remove();
    const begun = [...this.#edges.values()].map(({ stores }) => stores.now.id);
    if (this.#isPublished || begun.length === 0) return;
    const abandon = (catalog: Catalog): Catalog => ({
      ...catalog,
      unfinished: catalog.unfinished.filter((id) => !begun.includes(id)),
      garbage: [...catalog.garbage, ...begun],
    });
    // A store that takes no writes any more sweeps at its next start.
    await this.#database.changeCatalog(abandon).catch(() => undefined);
  }
}

function staleLayout(): QuernError {
  return new QuernError("STALE_LAYOUT", "another schema was deployed meanwhile; try again");
}
