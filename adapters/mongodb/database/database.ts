// An open database: its catalog, the layout with its functions, the time of the latest known commit.

import { randomBytes } from "node:crypto";
import { type ClientSession, type Document, MongoServerError, type Timestamp } from "mongodb";
import { type CommitToken, type Deployed, type Layout, type MetaNamesRequest, QuernError } from "../../../core/storage.ts";
import type { Connection } from "../connection/connection.ts";
import { isDuplicate } from "../connection/store-error.ts";
import { type Catalog, emptyCatalog, formatVersion, oldestFormat } from "../layout/catalog.ts";
import { buildLayoutRuntime, type LayoutRuntime } from "../layout/layout-runtime.ts";
import { catalogCollection, catalogId, changesCollection, changesGuard, metaCollection, stripesCollection } from "../layout/names.ts";
import { Homes } from "../sharding/homes.ts";
import { shardCollections } from "../sharding/shard-collections.ts";
import { Gate } from "./gate.ts";
import { type Lease, LeaseLost } from "./lease.ts";
import { beginning, later, timeOf } from "./time.ts";
import { UidLeases } from "./uids.ts";

const emptyLayout: Layout = { types: [], fields: [], edges: [], indexes: [], keys: [] };
const headId = "head";

export interface DatabaseOptions {
  /** Laid out for a sharded cluster. */
  readonly sharded: boolean;
  readonly maxChanges: number;
  readonly keepChangesForMs: number;
}

export class Database {
  readonly connection: Connection;
  readonly options: DatabaseOptions;
  readonly uids: UidLeases;
  readonly gate: Gate;
  readonly homes: Homes;
  readonly #onDeployed: (deployed: Deployed) => void;
  #catalog: Catalog;
  #revision = 0;
  #schema: LayoutRuntime = buildLayoutRuntime(emptyLayout, emptyCatalog);
  #layout: Layout = emptyLayout;
  /** Layouts that were deployed while this process ran: requests planned under them may still read. */
  readonly #layouts = new Map<number, Layout>();
  readonly #earlier = new Map<number, LayoutRuntime>();
  #latest: CommitToken = beginning;
  /** At this time, every commit that this server acknowledged is visible. */
  #readTime: Timestamp | undefined;
  #readTimeSeen = 0;

  #born = "";
  #isLost = false;
  /** The database is laid out in the other way. */
  #isOther = false;
  /** Prefix of the ids that this server gives. */
  readonly #server = randomBytes(6).toString("hex");
  #count = 0;

  /** @param onDeployed called when another server has deployed */
  constructor(connection: Connection, options: DatabaseOptions, onDeployed: (deployed: Deployed) => void) {
    this.#onDeployed = onDeployed;
    this.connection = connection;
    this.options = options;
    this.#catalog = { ...emptyCatalog, sharded: options.sharded };
    this.homes = new Homes(options);
    this.uids = new UidLeases(connection);
    this.gate = new Gate(connection, () => this.#born);
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  /** The latest layout whose functions are known. */
  get schema(): LayoutRuntime {
    return this.#schema;
  }

  get deployed(): Deployed | undefined {
    const { version, document } = this.#catalog;
    return document === undefined ? undefined : { version, document };
  }

  /** Identifies the database since it was made: another one after it was dropped and made again. */
  get born(): string {
    return this.#born;
  }

  /** @throws `STORE_CORRUPT` after the database was dropped under this server, until a schema is deployed */
  assertThere(): void {
    if (this.#isOther) throw laidOutOtherwise(this.connection.db.databaseName, this.options);
    if (!this.#isLost) return;
    throw new QuernError("STORE_CORRUPT", "the catalog is gone from the database, as after dropDatabase", {
      hint: "Restore a backup and restart the servers, or deploy the schema again to begin with an empty database.",
    });
  }

  /** An id that no server gives again. */
  newId(): string {
    return `${this.#server}:${++this.#count}`;
  }

  /** Creates missing collections and reads the catalog. */
  async prepare(): Promise<void> {
    const { db } = this.connection;
    for (const name of [catalogCollection, metaCollection, changesCollection, stripesCollection]) await ignoringExisting(db.createCollection(name));
    await this.#keepChanges();
    await db.collection(changesCollection).createIndex({ _id: 1, kind: 1 }, { name: changesGuard });
    await this.#giveBirth();
    await this.refresh();
    if (this.#isOther) throw laidOutOtherwise(db.databaseName, this.options);
    if (this.options.sharded) await shardCollections(this.connection, [changesCollection, stripesCollection]);
    await this.freshTime();
  }

  async #giveBirth(): Promise<void> {
    const born = { $ifNull: ["$born", this.newId()] };
    const isNew = { $eq: [{ $ifNull: ["$born", "$state", null] }, null] };
    const sharded = { $ifNull: ["$sharded", { $and: [isNew, { $literal: this.options.sharded }] }] };
    try {
      await this.#catalogs().updateOne({ _id: catalogId }, [{ $set: { born, sharded } }], { upsert: true });
    } catch (thrown) {
      // Another server has inserted the document at the same time.
      if (!isDuplicate(thrown)) throw thrown;
    }
  }

  async #keepChanges(): Promise<void> {
    const { db } = this.connection;
    const name = "quern.kept";
    const expireAfterSeconds = Math.ceil(this.options.keepChangesForMs / 1000);
    try {
      await db.collection(changesCollection).createIndex({ at: 1 }, { name, expireAfterSeconds });
    } catch (thrown) {
      if (!(thrown instanceof MongoServerError && thrown.code === otherOptions)) throw thrown;
      await db.command({ collMod: changesCollection, index: { name, expireAfterSeconds } });
    }
  }

  // --- the catalog

  /** Reads the catalog. @returns whether it has changed */
  async refresh(): Promise<boolean> {
    const stored = await this.#catalogs().findOne({ _id: catalogId }, { readConcern: "majority" });
    const revision = Number(stored?.revision ?? 0);
    this.#isOther = typeof stored?.born === "string" && (stored.sharded === true) !== this.options.sharded;
    if (this.#noteBirth(stored, revision)) return true;
    // A read that started before this server's own change may end after it.
    if (revision === this.#revision || (stored !== null && revision < this.#revision)) return false;
    const before = this.deployed;
    this.#catalog = asCatalog(stored, this.options);
    this.#revision = revision;
    this.#rebuild();
    // Every read of the catalog notifies: a refused writer may be ahead of the stream, and a server may stop before it announces its deploy.
    const { deployed } = this;
    if (deployed !== undefined && (before?.version !== deployed.version || before.document !== deployed.document)) this.#onDeployed(deployed);
    return true;
  }

  /** Notes that the database is another one, or gone. @returns whether it has nothing deployed, and had before */
  #noteBirth(stored: Document | null, revision: number): boolean {
    const born = String(stored?.born ?? "");
    if (this.#born === "" || born === this.#born) {
      this.#born = born;
      if (revision > 0) this.#isLost = false;
      return false;
    }
    this.#born = born;
    this.uids.forget();
    this.#isLost = revision === 0;
    this.#revision = 0;
    this.#catalog = { ...emptyCatalog, sharded: this.options.sharded };
    if (this.#isLost) this.#rebuild();
    return this.#isLost;
  }

  /** Replaces the catalog if this server still holds the lease. */
  async changeCatalog(lease: Lease, next: Catalog, layout?: Layout): Promise<void> {
    const { layout: described, ...rest } = next;
    const fields = {
      version: next.version,
      document: next.document ?? null,
      layout: described,
      state: JSON.stringify({ ...rest, document: undefined }),
    };
    const revision = this.#revision;
    const asKnown = { ...lease.held, revision: revision === 0 ? { $exists: false } : revision };
    const { matchedCount } = await this.#catalogs().updateOne(asKnown, { $set: fields, $inc: { revision: 1 } });
    if (matchedCount === 0) throw new LeaseLost();
    this.#isLost = false;
    this.#revision = revision + 1;
    this.#catalog = next;
    if (layout !== undefined) this.#layout = layout;
    this.#rebuild();
  }

  /** Sets the functions of the deployed layout. */
  handIn(layout: Layout): void {
    this.#layout = layout;
    this.#rebuild();
  }

  #rebuild(): void {
    // The functions of another server's layout arrive when the kernel has built it. Until then, reads use the layout before.
    if (this.#layoutIsDeployed()) {
      this.#schema = buildLayoutRuntime(this.#layout, this.#catalog);
      this.#layouts.set(this.#catalog.version, this.#layout);
    } else {
      this.#schema = { ...buildLayoutRuntime(this.#layout, this.#catalog), version: this.#schema.version };
    }
    this.#earlier.clear();
  }

  #layoutIsDeployed(): boolean {
    return this.#catalog.document === undefined || this.#catalog.layout === JSON.stringify(this.#layout);
  }

  /** Whether writes planned for `version` may run. Without a deployed layout, only meta entries can be written. */
  accepts(version: number): boolean {
    if (this.#isLost || this.#isOther) return false;
    return this.#catalog.document === undefined || (version === this.#catalog.version && this.#schema.version === version);
  }

  /** The layout that a request of `version` was planned for. */
  schemaFor(version: number): LayoutRuntime {
    if (version === this.#schema.version) return this.#schema;
    const known = this.#earlier.get(version);
    if (known !== undefined) return known;
    const layout = this.#layouts.get(version);
    if (layout === undefined) return this.#schema;
    const schema = { ...buildLayoutRuntime(layout, this.#catalog), version };
    this.#earlier.set(version, schema);
    return schema;
  }

  // --- times

  latest(): CommitToken {
    return this.#latest;
  }

  /** Notes a commit of this server or another one. */
  knows(token: CommitToken): void {
    if (token > this.#latest) this.#latest = token;
    const time = timeOf(token);
    if (time !== undefined) this.sawTime(time);
  }

  sawTime(time: Timestamp): void {
    this.#readTime = this.#readTime === undefined ? time : later(this.#readTime, time);
    if (this.#readTime === time) this.#readTimeSeen = performance.now();
  }

  /** The time that a new view shows; undefined when the last known time may be too old to read at. */
  readTime(after: CommitToken | undefined): Timestamp | undefined {
    if (this.#readTime === undefined || performance.now() - this.#readTimeSeen > freshForMs) return undefined;
    const wanted = after === undefined ? undefined : timeOf(after);
    return later(this.#readTime, wanted);
  }

  /** Reads the current time of the database. */
  async freshTime(): Promise<Timestamp> {
    const { operationTime } = await this.connection.db.command({ ping: 1 });
    this.sawTime(operationTime);
    return this.#readTime ?? operationTime;
  }

  // --- the head: the latest commit, for servers that open

  async readHead(): Promise<CommitToken | undefined> {
    const head = await this.#catalogs().findOne({ _id: headId });
    return typeof head?.latest === "string" ? head.latest : undefined;
  }

  async writeHead(): Promise<void> {
    if (this.#latest !== beginning) await this.#catalogs().updateOne({ _id: headId }, { $max: { latest: this.#latest } }, { upsert: true });
  }

  // --- small JSON

  async meta(name: string, session?: ClientSession): Promise<Document | null> {
    return await this.connection.collection(metaCollection).findOne({ _id: name }, session === undefined ? {} : { session });
  }

  async metaNames({ prefix, after, first }: MetaNamesRequest): Promise<readonly string[]> {
    const inRange = { $gte: prefix, $lt: `${prefix}\u{10ffff}`, ...(after !== undefined && { $gt: after }) };
    const found = this.connection.collection(metaCollection).find({ _id: inRange }, { projection: { _id: 1 }, sort: { _id: 1 }, limit: first });
    return (await found.toArray()).map((doc) => String(doc._id));
  }

  #catalogs() {
    return this.connection.collection(catalogCollection);
  }
}

/** MongoDB keeps five minutes of history by default. */
const freshForMs = 120_000;

/** Parses the stored catalog. */
function asCatalog(stored: Document | null, { sharded }: Pick<DatabaseOptions, "sharded">): Catalog {
  if (stored === null) return { ...emptyCatalog, sharded };
  const state: Catalog = JSON.parse(String(stored.state));
  if (state.format >= oldestFormat && state.format <= formatVersion)
    return {
      ...emptyCatalog,
      ...state,
      sharded,
      layout: String(stored.layout),
      document: typeof stored.document === "string" ? stored.document : undefined,
    };
  throw new QuernError("STORE_CORRUPT", `the database has format ${state.format}, this version reads format ${formatVersion}`, {
    hint: "Use the version of its other servers, or a later one.",
  });
}

function laidOutOtherwise(name: string, { sharded }: Pick<DatabaseOptions, "sharded">): QuernError {
  const [made, asked] = sharded ? ["for one replica set", "sharded: true"] : ["with `sharded: true`", "sharded: false"];
  return new QuernError("CONFIG_INVALID", `the database "${name}" was made ${made}, and this configuration says \`${asked}\``, {
    hint: `Set \`sharded: ${!sharded}\`. To lay the data out in the other way, export them and import them into another database.`,
  });
}

const alreadyThere = 48;
const otherOptions = 85;

async function ignoringExisting(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (thrown) {
    if (!(thrown instanceof MongoServerError && thrown.code === alreadyThere)) throw thrown;
  }
}
