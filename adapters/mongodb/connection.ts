// The client of one database: opened, checked for what transactions and change streams need, closed.

import { type Collection, type Db, type Document, MongoClient } from "mongodb";
import { QuernError } from "../../core/index.ts";
import { storeError } from "./store-error.ts";

/** A document as it lies in the database; an `_id` is a uid or a name. */
export interface Doc extends Document {
  _id: number | string;
}

export interface Connection {
  readonly client: MongoClient;
  readonly db: Db;
  /** `host:port` for messages: never user or password. */
  readonly where: string;
  /** How long what lost its server is tried again. */
  readonly patienceMs: number;
  collection(name: string): Collection<Doc>;
}

export interface ConnectionOptions {
  readonly uri: string;
  /** By default what the address names, else `quern`. */
  readonly database: string | undefined;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
}

export async function connect({ uri, database, connectTimeoutMs, maxConnections }: ConnectionOptions): Promise<Connection> {
  const client = clientFor(uri, { connectTimeoutMs, maxConnections });
  const where = client.options.hosts.map((host) => host.toString()).join(",");
  try {
    await client.connect();
    const hello = await client.db("admin").command({ hello: 1 });
    if (hello.setName === undefined && hello.msg !== "isdbgrid") throw standalone(where);
    // Login is lazy in the driver: ask for something that needs it.
    const db = client.db(database ?? databaseOf(client));
    await db.listCollections({ name: "none" }, { nameOnly: true }).toArray();
    return { client, db, where, patienceMs: connectTimeoutMs * 3, collection: (name) => db.collection<Doc>(name) };
  } catch (thrown) {
    await client.close();
    throw storeError(where, thrown);
  }
}

/** `test` is what the driver says where the address names none. */
function databaseOf(client: MongoClient): string {
  return client.options.dbName === "test" ? "quern" : client.options.dbName;
}

function clientFor(uri: string, { connectTimeoutMs, maxConnections }: { readonly connectTimeoutMs: number; readonly maxConnections: number }) {
  try {
    return new MongoClient(uri, {
      appName: "quern",
      useBigInt64: true,
      ignoreUndefined: true,
      retryWrites: true,
      retryReads: true,
      readPreference: "primary",
      w: "majority",
      maxPoolSize: maxConnections,
      serverSelectionTimeoutMS: connectTimeoutMs,
      connectTimeoutMS: connectTimeoutMs,
    });
  } catch (cause) {
    throw new QuernError("CONFIG_INVALID", "mongodbStorage: `uri` is no MongoDB address", {
      cause,
      hint: "It looks like mongodb://user:password@host:27017/?replicaSet=rs0",
    });
  }
}

function standalone(where: string): QuernError {
  return new QuernError("STORE_UNAVAILABLE", `MongoDB at ${where} is a standalone server; transactions and change streams need a replica set`, {
    hint: "Start mongod with --replSet rs0 and run rs.initiate() once in mongosh; a set of one node is enough.",
  });
}
