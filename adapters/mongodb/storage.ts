// A Storage over a MongoDB replica set, shared by as many servers as like.

import { setTimeout as pause } from "node:timers/promises";
import {
  type ChangeRecord,
  type CommitToken,
  type Committed,
  type Deployed,
  type Erase,
  type Gap,
  type Layout,
  type LayoutComparison,
  type MaybePromise,
  type MetaNamesRequest,
  type MigrateOptions,
  QuernError,
  type ReadOptions,
  type Snapshot,
  type Storage,
  type Transaction,
  type VerifyOptions,
  type VerifyReport,
} from "../../core/index.ts";
import { CommitStream } from "./commit-stream.ts";
import { type Connection, type ConnectionOptions, connect } from "./connection.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { compareLayout } from "./deploy/compare.ts";
import { eraseData } from "./deploy/erase.ts";
import { migrate } from "./deploy/migrate.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Reader } from "./read/reader.ts";
import { TimedSource } from "./read/source.ts";
import { statisticsOf } from "./statistics.ts";
import { closed, storeError } from "./store-error.ts";
import { timeOf } from "./time.ts";
import { verify } from "./verify/verify.ts";
import { MongoSnapshot } from "./views.ts";
import { Transactions } from "./write/transact.ts";

/** A database that is away keeps nobody from stopping. */
const headWithinMs = 1_000;

export interface StorageOptions extends ConnectionOptions, DatabaseOptions {}

interface Opened {
  readonly connection: Connection;
  readonly database: Database;
  readonly stream: CommitStream;
  readonly transactions: Transactions;
  readonly heartbeat: Heartbeat;
}

export class MongodbStorage implements Storage {
  readonly name = "mongodb";
  readonly supports = { detailedChanges: true, linked: true, collation: false };
  readonly #options: StorageOptions;
  #opened: Opened | undefined;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Migrations, erasures and repairs of this server run one after another. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #deployListeners = new Set<(deployed: Deployed) => void>();

  constructor(options: StorageOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    await this.#closing;
    if (this.#opened !== undefined) return;
    this.#opening ??= this.#doOpen().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #doOpen(): Promise<void> {
    const connection = await connect(this.#options);
    try {
      const database = new Database(connection, this.#options, (deployed) => this.#tell(deployed));
      await database.prepare();
      const stream = await CommitStream.start(database, () => void database.refresh().catch(() => undefined));
      this.#opened = { connection, database, stream, transactions: new Transactions(database, stream), heartbeat: new Heartbeat(database) };
    } catch (thrown) {
      await connection.client.close();
      throw storeError(thrown, connection.where);
    }
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    if (this.#opened === undefined) return this.#closing;
    const opened = this.#opened;
    this.#opened = undefined;
    this.#closing = this.#doClose(opened).finally(() => {
      this.#closing = undefined;
    });
    await this.#closing;
  }

  async #doClose({ connection, database, stream, transactions, heartbeat }: Opened): Promise<void> {
    heartbeat.stop();
    await this.#last.catch(() => undefined);
    await transactions.idle();
    // Best effort: who opens next finds out by itself, only more slowly.
    await Promise.race([database.writeHead().catch(() => undefined), pause(headWithinMs, undefined, { ref: false })]);
    stream.stop();
    await connection.client.close();
    await stream.ended();
  }

  get #open(): Opened {
    if (this.#opened === undefined) throw closed();
    return this.#opened;
  }

  snapshot(options: ReadOptions): Snapshot {
    const { connection, database } = this.#open;
    const { after } = options;
    if (after !== undefined && timeOf(after) === undefined) throw new QuernError("VIEW_EXPIRED", "the commit asked for is not of this database");
    const latest = database.latest();
    const time = database.readTime(after);
    const source = new TimedSource(connection, time, () => database.freshTime());
    const reader = new Reader({ schema: database.schemaFor(options.version), source, budget: options.budget, sent: options.sent });
    return new MongoSnapshot({ at: after !== undefined && after > latest ? after : latest, reader });
  }

  async transact<T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions): Promise<Committed<T>> {
    return await this.#open.transactions.transact(work, options);
  }

  changes(listener: (event: ChangeRecord | Gap) => void, after?: CommitToken): () => void {
    const { database, stream } = this.#open;
    // What this server has acknowledged may still be on its way here.
    const from = after ?? database.latest();
    return stream.feed.listen((event) => (event.kind === "gap" || event.token > from) && listener(event), after);
  }

  latest(): CommitToken {
    return this.#open.database.latest();
  }

  metaNames(request: MetaNamesRequest): Promise<readonly string[]> {
    return this.#explained(({ database }) => database.metaNames(request));
  }

  deployed(): Deployed | undefined {
    return this.#open.database.deployed;
  }

  deploys(listener: (deployed: Deployed) => void): () => void {
    this.#deployListeners.add(listener);
    return () => this.#deployListeners.delete(listener);
  }

  #tell(deployed: Deployed): void {
    if (this.#opened === undefined) return;
    for (const listener of [...this.#deployListeners]) listener(deployed);
  }

  compare(layout: Layout): Promise<LayoutComparison> {
    return this.#explained(({ database }) => compareLayout(database, layout));
  }

  migrate(layout: Layout, document: string, options: MigrateOptions = {}): Promise<Deployed> {
    return this.#alone(({ database, stream }) =>
      migrate(database, stream, { layout, document, progress: options.progress, takeOver: options.takeOver }),
    );
  }

  erase(what: Erase): Promise<void> {
    return this.#alone((opened) => eraseData(opened, what));
  }

  verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    return this.#alone(({ database }) => verify(database, options));
  }

  async statistics(): Promise<Readonly<Record<string, number>>> {
    return await this.#explained(({ database }) => statisticsOf(database));
  }

  #alone<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    const turn = this.#last.catch(() => undefined).then(() => this.#explained(work));
    this.#last = turn;
    return turn;
  }

  async #explained<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    const opened = this.#open;
    try {
      return await work(opened);
    } catch (thrown) {
      throw storeError(thrown);
    }
  }
}
