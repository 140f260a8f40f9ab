// Makes a layout the deployed one: builds what is missing beside what serves, shuts the gate, makes up for what was written meanwhile,
// switches layout and document in one write, and lets writers of the new layout through.

import { type Deployed, describeLayout, type Layout, type MigrateOptions, type MigrationStep, QuernError } from "../../../core/index.ts";
import type { CommitStream } from "../commit-stream.ts";
import type { Database } from "../database.ts";
import type { Catalog } from "../layout/catalog.ts";
import { buildSchema, type Schema } from "../layout/schema.ts";
import { collectionOf, keyCollection } from "../names.ts";
import { Backfill } from "./backfill.ts";
import { violatedConditions } from "./conditions.ts";
import { crowdedEnds, gatherLinks, type JoinedLinks, writeLinks } from "./join-edges.ts";
import { filledKeyObstacles } from "./key-holders.ts";
import { buildIndex, dropUnwanted, makeUnique, missingIndexes, type NativeIndex, wantedIndexes } from "./native-indexes.ts";
import { type MongoPlan, planMongo } from "./next-catalog.ts";
import { describedLayout } from "./open-gate.ts";
import { sweep } from "./sweep.ts";
import { WrittenMeanwhile } from "./written-meanwhile.ts";

export interface MigrationRequest {
  readonly layout: Layout;
  readonly document: string;
  readonly progress: ((step: MigrationStep) => void) | undefined;
  /** The document is what is deployed. */
  readonly takeOver: MigrateOptions["takeOver"];
}

export async function migrate(database: Database, stream: CommitStream, request: MigrationRequest): Promise<Deployed> {
  await database.refresh();
  const { catalog } = database;
  assertCurrent(catalog, request);
  if (catalog.document === request.document && catalog.layout === describeLayout(request.layout)) {
    database.handIn(request.layout);
    return { version: catalog.version, document: request.document };
  }
  return await database.gate.alone(database.newId(), () => migrateAlone(database, stream, request));
}

function assertCurrent(catalog: Catalog, { takeOver, document, layout }: MigrationRequest): void {
  if (takeOver === undefined) return;
  if (catalog.document !== document) throw new QuernError("STALE_LAYOUT", "another server deployed another schema meanwhile");
  if (takeOver === "follow" && catalog.layout !== describeLayout(layout)) {
    throw new QuernError("MIGRATION_REFUSED", "another server deployed this schema with other plugins, or other versions of them", {
      hint: "Run the same version with the same plugins on all servers of a database; this one serves the schema before until it is restarted.",
    });
  }
}

async function migrateAlone(database: Database, stream: CommitStream, request: MigrationRequest): Promise<Deployed> {
  await database.refresh();
  const { catalog } = database;
  const { layout, document } = request;
  assertCurrent(catalog, request);
  if (catalog.document !== undefined && catalog.layout === describeLayout(layout)) {
    if (catalog.document === document) database.handIn(layout);
    else {
      await database.changeCatalog({ ...catalog, document }, layout);
      await stream.announce();
    }
    return { version: catalog.version, document };
  }
  const plan = planMongo(layout, catalog);
  refuse(await violatedConditions(database.connection, catalog, plan.conditions));
  const version = catalog.version + 1;
  const migration = new Migration(database, stream, { plan, layout, next: { ...plan.next, version, document } });
  await migration.run(request.progress);
  return { version, document };
}

class Migration {
  readonly #database: Database;
  readonly #stream: CommitStream;
  readonly #plan: MongoPlan;
  readonly #layout: Layout;
  readonly #next: Catalog;
  readonly #schema: Schema;
  readonly #wanted: readonly NativeIndex[];
  readonly #backfill: Backfill;

  constructor(
    database: Database,
    stream: CommitStream,
    { plan, layout, next }: { readonly plan: MongoPlan; readonly layout: Layout; readonly next: Catalog },
  ) {
    this.#database = database;
    this.#stream = stream;
    this.#plan = plan;
    this.#layout = layout;
    this.#next = next;
    this.#schema = buildSchema(layout, next);
    this.#wanted = wantedIndexes(layout, next);
    this.#backfill = new Backfill(database.connection, plan, this.#schema);
  }

  async run(progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    const { catalog } = this.#database;
    // Should this end half-way, its numbers are not given again.
    if (this.#next.nextId > catalog.nextId) await this.#database.changeCatalog({ ...catalog, nextId: this.#next.nextId });
    const written = new WrittenMeanwhile(this.#stream, this.#backfill);
    try {
      await this.#makeCollections();
      const missing = await missingIndexes(this.#database.connection, this.#wanted);
      await this.#buildIndexes(missing, progress);
      await this.#backfill.fillAll(progress);
      await written.fill();
      await this.#switch(written);
    } finally {
      written.stop();
    }
    await this.#tidyUp(catalog);
  }

  async #makeCollections(): Promise<void> {
    const { db } = this.#database.connection;
    const there = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map((each) => each.name));
    const pairs = [...this.#schema.stores.values()].flatMap(({ place }) => (place.shape === "pairs" ? [place.collection] : []));
    const keys = this.#schema.keys.flatMap((key) => (key.native ? [] : [keyCollection(key.id)]));
    for (const name of new Set([...this.#schema.allTypes.map(collectionOf), ...pairs, ...keys]))
      if (!there.has(name)) await db.createCollection(name);
  }

  async #buildIndexes(missing: readonly NativeIndex[], progress: ((step: MigrationStep) => void) | undefined): Promise<void> {
    for (const index of missing) {
      const total = await this.#database.connection.collection(index.collection).estimatedDocumentCount();
      progress?.({ what: index.what, done: 0, total });
      await buildIndex(this.#database.connection, index);
      progress?.({ what: index.what, done: total, total });
    }
  }

  /** Writers wait from here on. */
  async #switch(written: WrittenMeanwhile): Promise<void> {
    const { connection, gate } = this.#database;
    await gate.close();
    try {
      await this.#stream.passed();
      await written.fill();
      const joined = await this.#joinedLinks();
      refuse([...(await this.#crowdedKeys()), ...joined.flatMap(([, links]) => crowdedEnds(links))]);
      for (const [id, links] of joined) await writeLinks(connection, this.#schema, id, links);
      for (const index of this.#wanted) if (index.unique && !index.what.startsWith("key ")) await makeUnique(connection, index);
      await this.#database.changeCatalog(this.#next, this.#layout);
      await dropUnwanted(connection, { wanted: this.#wanted, collections: this.#collections(), only: "unique" });
    } catch (reason) {
      await this.#abandon();
      throw reason;
    } finally {
      await gate.letThrough(this.#database.catalog.version);
    }
    await this.#stream.announce();
  }

  /** Unique indexes of the new layout would refuse what the old one allows. */
  async #abandon(): Promise<void> {
    const wanted = wantedIndexes(describedLayout(this.#database.catalog), this.#database.catalog);
    await dropUnwanted(this.#database.connection, { wanted, collections: this.#collections(), only: "unique" });
  }

  async #joinedLinks(): Promise<(readonly [number, JoinedLinks])[]> {
    const joined: (readonly [number, JoinedLinks])[] = [];
    for (const build of this.#plan.edges) joined.push([build.id, await gatherLinks(this.#database.connection, this.#database.catalog, build)]);
    return joined;
  }

  async #crowdedKeys(): Promise<string[]> {
    const { connection } = this.#database;
    const sentences: string[] = [];
    for (const index of this.#wanted) {
      if (!index.unique || !index.what.startsWith("key ") || (await makeUnique(connection, index))) continue;
      const key = this.#schema.keys.find((each) => index.what === `key ${each.layout.name}`);
      if (key !== undefined) sentences.push(...(await filledKeyObstacles(connection, key)));
    }
    return sentences;
  }

  #collections(): string[] {
    return [...new Set([...this.#schema.allTypes.map(collectionOf), ...this.#wanted.map((index) => index.collection)])];
  }

  /** What the layout before last left behind goes: views that read it are over. */
  async #tidyUp(before: Catalog): Promise<void> {
    await dropUnwanted(this.#database.connection, { wanted: this.#wanted, collections: this.#collections(), only: "all" });
    if (before.left.length > 0) await sweep(this.#database, before.left);
  }
}

function refuse(obstacles: readonly string[]): void {
  if (obstacles.length > 0) throw new QuernError("MIGRATION_REFUSED", obstacles.join("\n"), { details: { obstacles } });
}
