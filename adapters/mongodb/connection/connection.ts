// The client of one database: opened, checked for what transactions and change streams need, closed.

import { type Collection, type Db, type Document, MongoClient, MongoServerSelectionError } from "mongodb";
import { invalidAddress, unprepared } from "./connection-failure.ts";
import { FairReads } from "./fair-reads.ts";
import { Patience } from "./patience.ts";
import { PrimaryWatch } from "./primary-watch.ts";
import { type Accepted, isRouter, isSecondary, problemOf, ServerHellos } from "./server-hellos.ts";
import { isRefusal, storeError } from "./store-error.ts";

/** A stored document; its `_id` is a uid or a name. */
export interface Doc extends Document {
  _id: number | string;
}

export interface Connection {
  readonly client: MongoClient;
  readonly db: Db;
  /** `host:port` for errors at opening: never user or password. */
  readonly where: string;
  readonly primary: PrimaryWatch;
  /** Of an operation that begins: how long it is repeated after it lost its server. */
  patience(): Patience;
  /** The address is that of a router of a sharded cluster. */
  readonly isRouted: boolean;
  /** Collections may lie on several shards: each command of a transaction reads or writes one, and looks nothing up in another. */
  readonly isSharded: boolean;
  /** Writes to several collections are one command. */
  readonly writesTogether: boolean;
  /** Shares half of the connections between the reads of requests; writes, and what keeps a server going, have the others. */
  readonly reads: FairReads;
  /** Shares a quarter of these between reads that may find many documents: the others leave `mongod` and the connections to those that find few. */
  readonly cursors: FairReads;
  collection(name: string): Collection<Doc>;
  /** Other databases use the client, too. */
  readonly isShared: boolean;
  /** Closes the client, unless others use it. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly uri: string;
  /** By default the database of the address, else `quern`. */
  readonly database: string | undefined;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  /** Laid out for a sharded cluster. */
  readonly sharded: boolean;
  /** Whether the routers of a sharded cluster are accepted. */
  readonly takesRouters: boolean;
  /** Whether writes to several collections are one command where the server knows it. */
  readonly clientBulkWrite: boolean;
  /** A client that several databases share; undefined: this one has its own. */
  readonly shared?: SharedClient | undefined;
}

/** One client, open for as long as somebody uses it. */
export interface SharedClient {
  join(): Promise<Reached>;
}

export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { database, clientBulkWrite, shared } = options;
  const { client, where, hello, primary, patience, reads, cursors, explained, close } = await (shared === undefined ? reach(options) : shared.join());
  try {
    // The driver authenticates lazily: this command needs it.
    const db = client.db(database ?? databaseOf(client));
    await db.listCollections({ name: "none" }, { nameOnly: true }).toArray();
    return {
      client,
      db,
      where,
      primary,
      patience,
      isRouted: isRouter(hello),
      isSharded: isRouter(hello) || options.sharded,
      writesTogether: clientBulkWrite && hello.maxWireVersion >= version8,
      reads,
      cursors,
      collection: collectionsOf(db),
      isShared: shared !== undefined,
      close,
    };
  } catch (thrown) {
    await close();
    throw explained(thrown);
  }
}

/** A client that has found its servers. */
export interface Reached extends Pick<Connection, "client" | "where" | "primary" | "patience" | "reads" | "cursors" | "close"> {
  readonly hello: Document;
  /** What an error of a database says to people. */
  readonly explained: (thrown: unknown) => unknown;
}

type ReachOptions = Pick<ConnectionOptions, "uri" | "connectTimeoutMs" | "maxConnections" | "takesRouters" | "sharded">;

/** @param followers databases whose commits are followed, each by one connection more */
export async function reach({ uri, connectTimeoutMs, maxConnections, takesRouters, sharded }: ReachOptions, followers = 0): Promise<Reached> {
  const client = clientFor(uri, { connectTimeoutMs, maxConnections: maxConnections + followers });
  const where = client.options.srvHost ?? client.options.hosts.map((host) => host.toString()).join(",");
  const who = new ServerHellos(client, { takesRouters, sharded });
  const primary = new PrimaryWatch(client);
  const patience = () => new Patience({ primary, connectTimeoutMs });
  const explained = (thrown: unknown) => {
    const found = unprepared(where, thrown) ?? storeError(thrown, where);
    return thrown instanceof MongoServerSelectionError && !isRefusal(thrown.cause) ? (who.explain() ?? found) : found;
  };
  try {
    await client.connect();
    const hello = await helloOf(client, { where, accepted: { takesRouters, sharded }, patience: patience() });
    return {
      client,
      where,
      hello,
      primary,
      patience,
      reads: new FairReads(Math.ceil(maxConnections / 2)),
      cursors: new FairReads(Math.ceil(maxConnections / 8)),
      explained,
      close: () => client.close(),
    };
  } catch (thrown) {
    await client.close();
    throw explained(thrown);
  }
}

interface Asked {
  readonly where: string;
  readonly accepted: Accepted;
  readonly patience: Patience;
}

/** The reply of a server that takes writes. With a direct connection, the server may have any role; the one that was found may have lost its role since. */
async function helloOf(client: MongoClient, { where, accepted, patience }: Asked): Promise<Document> {
  for (;;) {
    const hello = await client.db("admin").command({ hello: 1 });
    const problem = problemOf(where, hello, accepted);
    if (problem === undefined) return hello;
    if (!isSecondary(hello) || !(await patience.mayGoOn())) throw problem;
  }
}

/** The wire version of MongoDB 8.0. */
const version8 = 25;

/** One object for each name: the driver resolves the options of every collection object. */
function collectionsOf(db: Db): (name: string) => Collection<Doc> {
  const known = new Map<string, Collection<Doc>>();
  return (name) => {
    let collection = known.get(name);
    if (collection === undefined) {
      collection = db.collection<Doc>(name);
      known.set(name, collection);
    }
    return collection;
  };
}

/** The driver returns `test` when the address names no database. */
function databaseOf(client: MongoClient): string {
  return client.options.dbName === "test" ? "quern" : client.options.dbName;
}

/** How values become BSON and back. Bare commands do not take it from the client. */
export const valueOptions = { useBigInt64: true, ignoreUndefined: true } as const;

/** Members say at least so often that they are there. One that hangs is found after this time and that of a connection, while the others may elect a primary. */
const heartbeatMs = 2_000;
const leastConnectMs = 5_000;

function clientFor(uri: string, { connectTimeoutMs, maxConnections }: { readonly connectTimeoutMs: number; readonly maxConnections: number }) {
  try {
    return new MongoClient(uri, {
      appName: "quern",
      ...valueOptions,
      retryWrites: true,
      retryReads: true,
      readPreference: "primary",
      w: "majority",
      maxPoolSize: maxConnections,
      serverSelectionTimeoutMS: connectTimeoutMs,
      connectTimeoutMS: Math.max(connectTimeoutMs / 2, Math.min(connectTimeoutMs, leastConnectMs)),
      heartbeatFrequencyMS: heartbeatMs,
    });
  } catch (cause) {
    throw invalidAddress(uri, cause);
  }
}
