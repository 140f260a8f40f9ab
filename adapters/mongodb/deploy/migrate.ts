// Deploys a layout: builds missing structures while the old layout serves, shuts the gate, catches up with concurrent writes, switches layout
// and document in one write, and opens the gate for writers of the new layout.

import { type Deployed, type Layout, type MigrateOptions, type MigrationStep, QuernError } from "../../../core/storage.ts";
import { assertNoObstacles, assertTakesOver, describeLayout, isDeployedLayout } from "../../storage-kit/index.ts";
import { Adoption, type AdoptOptions } from "../adopt/adoption.ts";
import type { CommitStream } from "../database/commit-stream.ts";
import type { Database } from "../database/database.ts";
import { type Lease, LeaseLost } from "../database/lease.ts";
import { describedLayout, openAlone } from "../database/open-gate.ts";
import { type Catalog, formatVersion } from "../layout/catalog.ts";
import { buildLayoutRuntime, type LayoutRuntime } from "../layout/layout-runtime.ts";
import { collectionOf } from "../layout/names.ts";
import { dropUnwanted, makeUnique, type NativeIndex, wantedIndexes } from "../layout/native-indexes.ts";
import { shardCollections } from "../sharding/shard-collections.ts";
import { Backfill } from "./backfill.ts";
import { buildIndexes, hasUnwanted, type IndexSite, indexSites, isUniqueAlready, overfullCollections } from "./build-indexes.ts";
import { ConcurrentWrites } from "./concurrent-writes.ts";
import { violatedConditions } from "./conditions.ts";
import { ambiguousEnds, gatherLinks, type JoinedLinks, writeLinks } from "./join-edges.ts";
import { filledKeyObstacles } from "./key-holders.ts";
import { newEntries } from "./new-entries.ts";
import { builtBy, keysOverPairs, type MongoPlan, planMongo } from "./next-catalog.ts";
import { sweep } from "./sweep.ts";
import { collectionsOf, unfitCollections } from "./unfit-collections.ts";
import { assertWritesAlike } from "./writes-alike.ts";

export interface MigrationRequest {
  readonly layout: Layout;
  readonly document: string;
  readonly progress: ((step: MigrationStep) => void) | undefined;
  /** Set when the document was deployed by another server. */
  readonly takeOver: MigrateOptions["takeOver"];
  readonly report: MigrateOptions["report"];
  readonly declared: MigrateOptions["declared"];
  /** Undefined: a collection that holds documents of others refuses the deploy. */
  readonly adopt: AdoptOptions | undefined;
}

export async function migrate(database: Database, stream: CommitStream, request: MigrationRequest): Promise<Deployed> {
  // Where the database was dropped, nothing that a deploy needs is there.
  await database.prepare();
  const { catalog } = database;
  assertTakesOver(catalog, request);
  assertWritesAlike(catalog, request);
  if (catalog.document === request.document && catalog.layout === describeLayout(request.layout) && catalog.format === formatVersion) {
    database.handIn(request.layout);
    return { version: catalog.version, document: request.document };
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.gate.alone(database.newId(), (lease) => migrateAlone({ database, stream, lease }, request));
    } catch (reason) {
      if (!(reason instanceof LeaseLost) || attempt === mostAttempts) throw reason;
    }
  }
}

/** A server that lost its lease starts again after the one that took over. */
const mostAttempts = 3;

interface Deployer {
  readonly database: Database;
  readonly stream: CommitStream;
  readonly lease: Lease;
}

async function migrateAlone(deployer: Deployer, request: MigrationRequest): Promise<Deployed> {
  const { database, stream, lease } = deployer;
  await database.refresh();
  await openAlone(database, lease);
  const { catalog } = database;
  const { layout, document } = request;
  assertTakesOver(catalog, request);
  assertWritesAlike(catalog, request);
  // Servers that write in an earlier way are refused by the version of the layout: it gets another one, even if nothing else changes.
  if (isDeployedLayout(catalog, layout) && catalog.format === formatVersion) {
    if (catalog.document === document) database.handIn(layout);
    else {
      await database.changeCatalog(lease, { ...catalog, document }, layout);
      await stream.announce();
    }
    return { version: catalog.version, document };
  }
  const plan = planMongo(layout, catalog);
  assertNoObstacles([...keysOverPairs(plan), ...(await violatedConditions(database.connection, catalog, plan.conditions))]);
  const version = catalog.version + 1;
  const migration = new Migration(deployer, { plan, layout, next: { ...plan.next, format: formatVersion, version, document, unfinished: [] } });
  await migration.run(request);
  return { version, document };
}

class Migration {
  readonly #database: Database;
  readonly #stream: CommitStream;
  readonly #lease: Lease;
  readonly #plan: MongoPlan;
  readonly #layout: Layout;
  readonly #next: Catalog;
  readonly #schema: LayoutRuntime;
  readonly #wanted: readonly NativeIndex[];
  readonly #backfill: Backfill;
  /** The collections with wanted indexes, as they were before. Nobody else changes them while the lease is held. */
  #sites: ReadonlyMap<string, IndexSite> = new Map();

  constructor(
    { database, stream, lease }: Deployer,
    { plan, layout, next }: { readonly plan: MongoPlan; readonly layout: Layout; readonly next: Catalog },
  ) {
    this.#database = database;
    this.#stream = stream;
    this.#lease = lease;
    this.#plan = plan;
    this.#layout = layout;
    this.#next = next;
    this.#schema = buildLayoutRuntime(layout, next);
    this.#wanted = wantedIndexes(layout, next);
    this.#backfill = new Backfill(database.connection, lease, { plan, schema: this.#schema, entries: newEntries(this.#schema, database.catalog) });
  }

  async run({ progress, report, declared, adopt }: MigrationRequest): Promise<void> {
    const { connection, catalog } = this.#database;
    const serving = wantedIndexes(describedLayout(catalog), catalog);
    assertNoObstacles(await unfitCollections(connection, this.#schema));
    const sites = await indexSites(connection, this.#wanted, serving);
    assertNoObstacles(overfullCollections(sites));
    this.#sites = new Map(sites.map((site) => [site.collection, site]));
    const [database, lease, schema] = [this.#database, this.#lease, this.#schema];
    const adoption = await Adoption.prepare({ database, lease, schema, declared, progress, report }, adopt);
    await this.#begin();
    const written = new ConcurrentWrites(this.#stream, this.#backfill);
    try {
      await adoption.takeIn();
      await this.#makeCollections();
      await buildIndexes(connection, this.#lease, { sites, progress });
      if (schema.sharded) await shardCollections(connection, collectionsOf(schema));
      await this.#backfill.fillAll(progress);
      await written.fillMost();
      await this.#switch(written);
    } catch (reason) {
      if (reason instanceof QuernError && reason.code === "MIGRATION_REFUSED") {
        await this.#forget();
        await adoption.undo();
      }
      throw reason;
    } finally {
      written.stop();
    }
    await adoption.end();
    await this.#tidyUp(catalog);
  }

  /** After an interruption, the ids are not given again, and the next deploy finds the leftovers. */
  async #begin(): Promise<void> {
    await this.#forget();
    const { catalog } = this.#database;
    const unfinished = builtBy(this.#plan, this.#schema, catalog);
    if (this.#next.nextId > catalog.nextId || unfinished.length > 0)
      await this.#database.changeCatalog(this.#lease, { ...catalog, nextId: this.#next.nextId, unfinished });
  }

  /** Removes what a failed deploy began. */
  async #forget(): Promise<void> {
    const { connection, catalog } = this.#database;
    if (catalog.unfinished.length === 0) return;
    await sweep(connection, this.#lease, catalog.unfinished);
    await this.#database.changeCatalog(this.#lease, { ...catalog, unfinished: [] });
  }

  async #makeCollections(): Promise<void> {
    const { db } = this.#database.connection;
    const there = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map((each) => each.name));
    for (const name of collectionsOf(this.#schema)) if (!there.has(name)) await db.createCollection(name);
  }

  /** Runs while writers wait. */
  async #switch(written: ConcurrentWrites): Promise<void> {
    const { gate } = this.#database;
    const version = () => this.#database.catalog.version;
    await gate.shut(this.#lease, version, async () => {
      try {
        await this.#stream.passed();
        await written.fill();
        await this.#finish();
      } catch (reason) {
        if (await this.#lease.isHeld()) await this.#dropUnique(this.#database.catalog, this.#collections());
        throw reason;
      }
    });
    await this.#stream.announce();
  }

  async #finish(): Promise<void> {
    const { connection } = this.#database;
    const joined = await this.#joinedLinks();
    assertNoObstacles([...(await this.#duplicateKeys({ joined: false })), ...joined.flatMap(([, links]) => ambiguousEnds(links))]);
    await this.#lease.assertHeld();
    for (const [id, links] of joined) await writeLinks(connection, this.#schema, id, links);
    if (joined.length > 0) await this.#backfill.fillJoined(new Set(joined.map(([id]) => id)));
    assertNoObstacles(await this.#duplicateKeys({ joined: true }));
    for (const index of this.#wanted) if (index.unique && !index.what.startsWith("key ")) await this.#makeUnique(index);
    await this.#database.changeCatalog(this.#lease, this.#next, this.#layout);
    await this.#dropUnique(this.#next, this.#untidyCollections());
  }

  /** Drops unique indexes of another layout: they would refuse values that this one allows. */
  async #dropUnique(catalog: Catalog, collections: readonly string[]): Promise<void> {
    const wanted = wantedIndexes(describedLayout(catalog), catalog);
    await dropUnwanted(this.#database.connection, { wanted, collections, only: "unique" });
  }

  async #makeUnique(index: NativeIndex): Promise<boolean> {
    const site = this.#sites.get(index.collection);
    if (site && isUniqueAlready(site, index)) return true;
    await this.#lease.assertHeld();
    return await makeUnique(this.#database.connection, index);
  }

  async #joinedLinks(): Promise<(readonly [number, JoinedLinks])[]> {
    const joined: (readonly [number, JoinedLinks])[] = [];
    for (const build of this.#plan.edges) joined.push([build.id, await gatherLinks(this.#database.connection, this.#database.catalog, build)]);
    return joined;
  }

  /** @param joined the keys over links that this deploy joins, which can be judged when these are written; false: the other keys */
  async #duplicateKeys({ joined }: { readonly joined: boolean }): Promise<string[]> {
    const { connection } = this.#database;
    const built = new Set(this.#plan.edges.map(({ id }) => id));
    const sentences: string[] = [];
    for (const index of this.#wanted) {
      if (!index.unique || !index.what.startsWith("key ")) continue;
      const key = this.#schema.keys.find((each) => index.what === `key ${each.layout.name}`);
      if (key === undefined || key.ends.some(({ store }) => built.has(store.id)) !== joined || (await this.#makeUnique(index))) continue;
      sentences.push(...(await filledKeyObstacles(connection, key)));
    }
    return sentences;
  }

  #collections(): string[] {
    return [...new Set([...this.#schema.allTypes.map(collectionOf), ...this.#wanted.map((index) => index.collection)])];
  }

  /** Those that may have indexes which the new layout does not want. */
  #untidyCollections(): string[] {
    return this.#collections().filter((name) => {
      const site = this.#sites.get(name);
      return site === undefined || hasUnwanted(site);
    });
  }

  /** Removes leftovers of the layout before last, which no view reads any more. */
  async #tidyUp({ left }: Catalog): Promise<void> {
    const { connection } = this.#database;
    await this.#lease.assertHeld();
    await dropUnwanted(connection, { wanted: this.#wanted, collections: this.#untidyCollections(), only: "all" });
    if (left.length === 0) return;
    await sweep(connection, this.#lease, left);
    const swept = new Set(left.map((each) => JSON.stringify(each)));
    const { catalog } = this.#database;
    await this.#database.changeCatalog(this.#lease, { ...catalog, left: catalog.left.filter((each) => !swept.has(JSON.stringify(each))) });
  }
}
