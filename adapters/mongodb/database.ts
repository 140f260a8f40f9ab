// An open database: its catalog, the layout with its functions, the time up to which this server knows of commits.

import { randomBytes } from "node:crypto";
import { type ClientSession, type Document, MongoServerError, type Timestamp } from "mongodb";
import { type CommitToken, type Deployed, type Layout, type MetaNamesRequest, QuernError } from "../../core/index.ts";
import type { Connection } from "./connection.ts";
import { Gate } from "./deploy/gate.ts";
import { type Lease, LeaseLost } from "./deploy/lease.ts";
import { type Catalog, emptyCatalog, formatVersion } from "./layout/catalog.ts";
import { buildLayoutRuntime, type LayoutRuntime } from "./layout/layout-runtime.ts";
import { catalogCollection, catalogId, changesCollection, metaCollection, stripesCollection } from "./names.ts";
import { storeError } from "./store-error.ts";
import { beginning, later, timeOf } from "./time.ts";
import { UidLeases } from "./uids.ts";

const emptyLayout: Layout = { types: [], fields: [], edges: [], indexes: [], keys: [] };
const headId = "head";

export interface DatabaseOptions {
  readonly maxChanges: number;
  readonly keepChangesForMs: number;
}

export class Database {
  readonly connection: Connection;
  readonly options: DatabaseOptions;
  readonly uids: UidLeases;
  readonly gate: Gate;
  readonly #onDeployed: (deployed: Deployed) => void;
  #catalog: Catalog = emptyCatalog;
  #revision = 0;
  #schema: LayoutRuntime = buildLayoutRuntime(emptyLayout, emptyCatalog);
  #layout: Layout = emptyLayout;
  /** Layouts that were deployed while this process ran: requests planned under them may still read. */
  readonly #layouts = new Map<number, Layout>();
  readonly #earlier = new Map<number, LayoutRuntime>();
  #latest: CommitToken = beginning;
  /** All that this server has acknowledged is there at this time. */
  #readTime: Timestamp | undefined;
  #readTimeSeen = 0;

  /** Tells this server's documents from others'. */
  readonly #server = randomBytes(6).toString("hex");
  #count = 0;

  /** @param onDeployed is told of what other servers deploy */
  constructor(connection: Connection, options: DatabaseOptions, onDeployed: (deployed: Deployed) => void) {
    this.#onDeployed = onDeployed;
    this.connection = connection;
    this.options = options;
    this.uids = new UidLeases(connection);
    this.gate = new Gate(connection);
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  /** The deployed layout, as far as its functions were handed in. */
  get schema(): LayoutRuntime {
    return this.#schema;
  }

  get deployed(): Deployed | undefined {
    const { version, document } = this.#catalog;
    return document === undefined ? undefined : { version, document };
  }

  /** Given once, to one server. */
  newId(): string {
    return `${this.#server}:${++this.#count}`;
  }

  /** Makes what is not there and reads what is. */
  async prepare(): Promise<void> {
    const { db } = this.connection;
    for (const name of [catalogCollection, metaCollection, changesCollection, stripesCollection]) await ignoringExisting(db.createCollection(name));
    await this.#keepChanges();
    await this.refresh();
    await this.freshTime();
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

  /** @returns whether it had changed */
  async refresh(): Promise<boolean> {
    const stored = await this.#catalogs().findOne({ _id: catalogId }, { readConcern: "majority" });
    const revision = Number(stored?.revision ?? 0);
    // What was read before this server's own change of it may come in after.
    if (revision === this.#revision || (stored !== null && revision < this.#revision)) return false;
    const before = this.deployed;
    this.#catalog = asCatalog(stored);
    this.#revision = revision;
    this.#rebuild();
    // Whoever finds out first tells: a writer that is refused may be ahead of the stream, and nobody announces what a dying server deployed.
    const { deployed } = this;
    if (deployed !== undefined && (before?.version !== deployed.version || before.document !== deployed.document)) this.#onDeployed(deployed);
    return true;
  }

  /** Replaces the catalog, if the lease is still this server's at that moment. */
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
    this.#revision = revision + 1;
    this.#catalog = next;
    if (layout !== undefined) this.#layout = layout;
    this.#rebuild();
  }

  /** Takes the functions of the layout that is deployed already. */
  handIn(layout: Layout): void {
    this.#layout = layout;
    this.#rebuild();
  }

  #rebuild(): void {
    // Another server's layout comes with its functions when the kernel has built it; until then the one before is read by.
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

  /** Whether writes planned for `version` may go on. Where nothing is deployed, nothing but meta can be written. */
  accepts(version: number): boolean {
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

  /** A commit is known, this server's or another's. */
  knows(token: CommitToken): void {
    if (token > this.#latest) this.#latest = token;
    const time = timeOf(token);
    if (time !== undefined) this.sawTime(time);
  }

  sawTime(time: Timestamp): void {
    this.#readTime = this.#readTime === undefined ? time : later(this.#readTime, time);
    if (this.#readTime === time) this.#readTimeSeen = performance.now();
  }

  /** The time a new view shows; undefined where the last one known may be too old to be read at. */
  readTime(after: CommitToken | undefined): Timestamp | undefined {
    if (this.#readTime === undefined || performance.now() - this.#readTimeSeen > freshForMs) return undefined;
    const wanted = after === undefined ? undefined : timeOf(after);
    return later(this.#readTime, wanted);
  }

  /** Asks the database what time it is. */
  async freshTime(): Promise<Timestamp> {
    try {
      const { operationTime } = await this.connection.db.command({ ping: 1 });
      this.sawTime(operationTime);
      return this.#readTime ?? operationTime;
    } catch (thrown) {
      throw storeError(thrown);
    }
  }

  // --- the head: what a server that opens must know of commits

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

/** The catalog's parser: what we wrote ourselves, of the format we know. */
function asCatalog(stored: Document | null): Catalog {
  if (stored === null) return emptyCatalog;
  const state: Catalog = JSON.parse(String(stored.state));
  if (state.format === formatVersion)
    return { ...emptyCatalog, ...state, layout: String(stored.layout), document: typeof stored.document === "string" ? stored.document : undefined };
  throw new QuernError("STORE_CORRUPT", `the database has format ${state.format}, this version reads format ${formatVersion}`, {
    hint: "Open it with the version that made it and export the data.",
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
