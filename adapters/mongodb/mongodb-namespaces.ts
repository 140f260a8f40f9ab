// The stores of a server with namespaces: a database each, over the connections of one client.

import { QuernError, type Storage } from "../../core/storage.ts";
import { reach } from "./connection/connection.ts";
import { sharedClient } from "./connection/shared-client.ts";
import { type MongodbStorageOptions, storageOptions } from "./mongodb-storage.ts";
import { MongodbStorage } from "./storage.ts";

/** `database` is that of namespace 0, and the beginning of the names of all others. */
export interface MongodbNamespacesOptions extends Omit<MongodbStorageOptions, "adopt" | "database"> {
  readonly database: string;
}

/** Stores in databases that share the connections of one client. */
export interface MongodbNamespaces {
  /** Keeps which namespaces there are. */
  readonly registry: Storage;
  /** Namespace 5 of `quern` is the database `quern_ns5`; namespace 0 is `quern`. */
  storage(namespace: number): Storage;
  remove(namespace: number): Promise<void>;
}

/** Open namespaces follow commits, each on a connection beside `maxConnections`. */
const followers = 64;
/** MongoDB allows 63 bytes; the numbers of namespaces take the rest. */
const maxNameBytes = 48;

/** The stores of a server with namespaces. @throws QuernError `CONFIG_INVALID` */
export function mongodbNamespaces(options: MongodbNamespacesOptions): MongodbNamespaces {
  const { database } = options;
  if (database === "" || Buffer.byteLength(database) > maxNameBytes) {
    throw new QuernError("CONFIG_INVALID", `mongodbNamespaces: \`database\` is ${JSON.stringify(database)}; it must have 1 to ${maxNameBytes} bytes`);
  }
  const settings = storageOptions(options);
  const shared = sharedClient(() => reach(settings, followers));
  const storageOf = (name: string) => new MongodbStorage({ ...settings, database: name, shared });
  const nameOf = (namespace: number) => (namespace === 0 ? database : `${database}_ns${namespace}`);
  return {
    registry: storageOf(`${database}_namespaces`),
    storage: (namespace) => storageOf(nameOf(namespace)),
    async remove(namespace) {
      const { client, close, explained } = await shared.join();
      try {
        await client.db(nameOf(namespace)).dropDatabase();
      } catch (thrown) {
        throw explained(thrown);
      } finally {
        await close();
      }
    },
  };
}
