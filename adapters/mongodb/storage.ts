// A Storage over a MongoDB replica set. Any number of servers may share the database.

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
  type PartSize,
  QuernError,
  type ReadOptions,
  type Snapshot,
  type Storage,
  type StorageOpenOptions,
  type StoreTrouble,
  type Transaction,
  type VerifyOptions,
  type VerifyReport,
} from "../../core/storage.ts";
import { DeployListeners, SerialQueue, StorageLifecycle } from "../storage-kit/index.ts";
import type { AdoptOptions } from "./adopt/adoption.ts";
import { type Connection, type ConnectionOptions, connect } from "./connection/connection.ts";
import { storeError } from "./connection/store-error.ts";
import { CommitStream } from "./database/commit-stream.ts";
import { CountsOfView } from "./database/counts-of-view.ts";
import { Database, type DatabaseOptions } from "./database/database.ts";
import { sizesOf } from "./database/sizes.ts";
import { statisticsOf } from "./database/statistics.ts";
import { timeOf } from "./database/time.ts";
import { compareLayout } from "./deploy/compare.ts";
import { eraseData } from "./deploy/erase.ts";
import { migrate } from "./deploy/migrate.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Reader } from "./read/reader.ts";
import { isPassing, TimedSource } from "./session/source.ts";
import { Transactions } from "./transact/transact.ts";
import { MongoSnapshot } from "./transact/views.ts";
import { verify } from "./verify/verify.ts";

/** How long closing waits for the last write: a database that does not answer must not keep the server from stopping. */
const headWithinMs = 1_000;

export interface StorageOptions extends ConnectionOptions, DatabaseOptions {
  /** Undefined: no documents of others are taken in. */
  readonly adopt: AdoptOptions | undefined;
}

interface Opened {
  readonly connection: Connection;
  readonly database: Database;
  readonly stream: CommitStream;
  readonly transactions: Transactions;
  readonly heartbeat: Heartbeat;
}

export class MongodbStorage implements Storage {
  readonly name = "mongodb";
  readonly supports = { detailedChanges: true, linked: true, collation: false, seek: true, shared: true, remote: true };
  readonly #options: StorageOptions;
  readonly #lifecycle: StorageLifecycle<Opened>;
  /** Migrations, erasures and repairs of this server. */
  readonly #maintenance = new SerialQueue();
  readonly #deployListeners = new DeployListeners();
  #troubled: StorageOpenOptions["troubled"];

  constructor(options: StorageOptions) {
    this.#options = options;
    this.#lifecycle = new StorageLifecycle({ open: () => this.#connect(), close: (opened) => this.#disconnect(opened) });
  }

  get trouble(): StoreTrouble | undefined {
    return this.#lifecycle.current?.heartbeat.trouble;
  }

  open({ troubled }: StorageOpenOptions = {}): Promise<void> {
    this.#troubled = troubled;
    return this.#lifecycle.open();
  }

  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  async #connect(): Promise<Opened> {
    const connection = await connect(this.#options);
    const patience = connection.patience();
    for (;;) {
      try {
        return await this.#prepare(connection);
      } catch (thrown) {
        if (isPassing(thrown) && (await patience.mayGoOn())) continue;
        await connection.close();
        throw storeError(thrown, connection.where);
      }
    }
  }

  async #prepare(connection: Connection): Promise<Opened> {
    const database = new Database(connection, this.#options, (deployed) => this.#notifyDeployed(deployed));
    await database.prepare();
    const stream = await CommitStream.start(database, () => void database.refresh().catch(() => undefined));
    return {
      connection,
      database,
      stream,
      transactions: new Transactions(database, stream),
      heartbeat: new Heartbeat(database, (trouble) => this.#troubled?.(trouble)),
    };
  }

  async #disconnect({ connection, database, stream, transactions, heartbeat }: Opened): Promise<void> {
    heartbeat.stop();
    await this.#maintenance.idle();
    await transactions.idle();
    // Best effort: without it, the next server to open finds the latest commit more slowly.
    await Promise.race([database.writeHead().catch(() => undefined), pause(headWithinMs, undefined, { ref: false })]);
    stream.stop();
    await connection.close();
    await stream.ended();
  }

  snapshot(options: ReadOptions): Snapshot {
    const { connection, database, stream } = this.#lifecycle.opened;
    database.assertThere();
    const { after } = options;
    if (after !== undefined && timeOf(after) === undefined) throw new QuernError("VIEW_EXPIRED", "the commit asked for is not of this database");
    const latest = database.latest();
    const time = database.readTime(after);
    const source = new TimedSource(connection, time, () => database.freshTime());
    // On a sharded cluster commits may have the same time: what the stream has delivered does not say which of them a view shows.
    const counts = database.options.sharded ? undefined : new CountsOfView({ stream, source, latest: () => database.latest() });
    const reader = new Reader({ schema: database.schemaFor(options.version), source, budget: options.budget, sent: options.sent, counts });
    return new MongoSnapshot({ at: after !== undefined && after > latest ? after : latest, reader });
  }

  async transact<T>(work: (transaction: Transaction) => MaybePromise<T>, options: ReadOptions): Promise<Committed<T>> {
    return await this.#lifecycle.opened.transactions.transact(work, options);
  }

  changes(listener: (event: ChangeRecord | Gap) => void, after?: CommitToken): () => void {
    const { database, stream } = this.#lifecycle.opened;
    // The stream may still deliver commits that this server acknowledged before.
    const from = after ?? database.latest();
    return stream.feed.listen((event) => (event.kind === "gap" || event.token > from) && listener(event), after);
  }

  latest(): CommitToken {
    return this.#lifecycle.opened.database.latest();
  }

  metaNames(request: MetaNamesRequest): Promise<readonly string[]> {
    return this.#translateErrors(({ database }) => database.metaNames(request));
  }

  deployed(): Deployed | undefined {
    return this.#lifecycle.opened.database.deployed;
  }

  deploys(listener: (deployed: Deployed) => void): () => void {
    return this.#deployListeners.add(listener);
  }

  #notifyDeployed(deployed: Deployed): void {
    if (this.#lifecycle.current !== undefined) this.#deployListeners.notify(deployed);
  }

  compare(layout: Layout, { declared }: Pick<MigrateOptions, "declared"> = {}): Promise<LayoutComparison> {
    return this.#translateErrors(({ database }) => compareLayout(database, { layout, declared, adopt: this.#options.adopt }));
  }

  migrate(layout: Layout, document: string, options: MigrateOptions = {}): Promise<Deployed> {
    return this.#maintain(({ database, stream }) =>
      migrate(database, stream, {
        layout,
        document,
        progress: options.progress,
        takeOver: options.takeOver,
        report: options.report,
        declared: options.declared,
        adopt: this.#options.adopt,
      }),
    );
  }

  erase(what: Erase): Promise<void> {
    return this.#maintain((opened) => eraseData(opened, what));
  }

  verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    return this.#maintain(({ database }) => verify(database, options));
  }

  async statistics(): Promise<Readonly<Record<string, number>>> {
    return await this.#translateErrors(({ database }) => statisticsOf(database));
  }

  async sizes(): Promise<readonly PartSize[]> {
    return await this.#translateErrors(({ database }) => sizesOf(database));
  }

  #maintain<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    return this.#maintenance.run(() => this.#translateErrors(work));
  }

  async #translateErrors<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    const opened = this.#lifecycle.opened;
    try {
      return await work(opened);
    } catch (thrown) {
      throw storeError(thrown);
    }
  }
}
