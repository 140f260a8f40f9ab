// MongoDB as a storage of Quern.

import { QuernError, type Storage } from "../../core/storage.ts";
import type { AdoptOptions } from "./adopt/adoption.ts";
import { MongodbStorage, type StorageOptions } from "./storage.ts";

/** The address of the database, and the bounds of its use. */
export interface MongodbStorageOptions {
  /** The address of a replica set, as `mongosh` takes it: `mongodb://user:password@host:27017/?replicaSet=rs0`. */
  readonly uri: string;
  /** The database; by default that of the address, else `quern`. */
  readonly database?: string;
  /** Nodes that one transaction may change; 100,000 by default. MongoDB ends transactions after 60 seconds. */
  readonly maxChanges?: number;
  /** Connections that this server keeps to the database at most, at least 5; 100 by default. */
  readonly maxConnections?: number;
  /** How long an operation waits for a server before it fails, in milliseconds; 15,000 by default, a few seconds more than MongoDB takes to elect a primary. */
  readonly connectTimeoutMs?: number;
  /** How long change records are kept for disconnected servers, in milliseconds; an hour by default. */
  readonly keepChangesForMs?: number;
  /**
   * A deploy takes in the documents that a collection of a new type holds, as its nodes; false by default: it is refused. `idField` names the
   * field that takes their `_id`.
   */
  readonly adopt?: boolean | AdoptOptions;
  /**
   * Lays the data out for a sharded cluster; false by default. Fixed when the database is made. `"unsupported"`, from before there was that layout, is false
   * with `router: "unsupported"`.
   */
  readonly sharded?: boolean | "unsupported";
  /** `unsupported`: the address may be that of a router (`mongos`) of a sharded cluster, on which nothing of Quern was tried. By default it is refused. */
  readonly router?: "unsupported";
  /** Writes to several collections are one command on MongoDB 8.0 and later; false by default, until the whole suite has passed on an 8.0. */
  readonly clientBulkWrite?: boolean;
}

/** The change stream waits on one, a native index build on another; a lease, its progress and a transaction need theirs at the same time. */
const fewestConnections = 5;

/** A storage on a MongoDB replica set (6.0 or later). Any number of servers may share a database. */
export function mongodbStorage(options: MongodbStorageOptions): Storage {
  return new MongodbStorage(storageOptions(options));
}

/** @throws QuernError `CONFIG_INVALID` */
export function storageOptions({
  uri,
  database,
  maxChanges = 100_000,
  maxConnections = 100,
  connectTimeoutMs = 15_000,
  keepChangesForMs = 3_600_000,
  adopt = false,
  sharded = false,
  router,
  clientBulkWrite = false,
}: MongodbStorageOptions): StorageOptions {
  if (maxConnections < fewestConnections) {
    const problem = `mongodbStorage: \`maxConnections\` is ${maxConnections}; a server needs ${fewestConnections} at least`;
    throw new QuernError("CONFIG_INVALID", problem, { hint: "One follows commits, one builds indexes, the others read and write meanwhile." });
  }
  if (typeof sharded !== "boolean" && sharded !== "unsupported") {
    throw new QuernError("CONFIG_INVALID", `mongodbStorage: \`sharded\` is ${JSON.stringify(sharded)}; it must be true or false`);
  }
  if (router !== undefined && router !== "unsupported") {
    throw new QuernError("CONFIG_INVALID", `mongodbStorage: \`router\` is ${JSON.stringify(router)}; the only value is "unsupported"`);
  }
  if (uri === "") throw new QuernError("CONFIG_INVALID", "mongodbStorage: `uri` names no server");
  return {
    uri,
    database,
    maxChanges,
    maxConnections,
    connectTimeoutMs,
    keepChangesForMs,
    sharded: sharded === true,
    takesRouters: (router ?? sharded) === "unsupported",
    clientBulkWrite,
    adopt: adopt === true ? {} : adopt || undefined,
  };
}
