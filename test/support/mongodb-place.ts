// A database on the replica set of this run.

import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { afterAll, inject } from "vitest";
import { mongodbStorage } from "../../adapters/mongodb/index.ts";
import type { Place } from "./storage.ts";

const uri = inject("mongodbUri");
/** Drops databases; the storages have connections of their own. */
const janitor = new MongoClient(uri);
afterAll(() => janitor.close());

export async function mongodbPlace(): Promise<Place> {
  const database = `quern_test_${randomUUID()}`;
  return {
    storage: (options) => mongodbStorage({ uri, database, ...options }),
    remove: async () => void (await janitor.db(database).dropDatabase()),
  };
}
