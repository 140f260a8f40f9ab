// Databases for the namespaces of one server, on the replica set of this run.

import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { inject, onTestFinished } from "vitest";
import { mongodbNamespaces } from "../../adapters/mongodb/index.ts";
import type { TenantsPlace } from "./tenants-place.ts";

const uri = inject("mongodbUri");

export async function mongodbTenants(): Promise<TenantsPlace> {
  const database = `quern_test_${randomUUID()}`;
  onTestFinished(() => dropAll(database));
  return {
    path: "",
    stores: () => {
      const stores = mongodbNamespaces({ uri, database });
      return { zero: stores.storage(0), stores };
    },
  };
}

/** The names of the databases that are there. */
async function databasesOf(prefix: string): Promise<readonly string[]> {
  return await withClient(async (client) => {
    const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
    return databases.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  });
}

async function dropAll(prefix: string): Promise<void> {
  const names = await databasesOf(prefix);
  await withClient(async (client) => void (await Promise.all(names.map((name) => client.db(name).dropDatabase()))));
}

async function withClient<T>(work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
