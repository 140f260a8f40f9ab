// A database on the replica set of this run.

import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { inject } from "vitest";
import { mongodbStorage } from "../../adapters/mongodb/index.ts";
import type { Place } from "./storage.ts";
import { whenFileEnds } from "./when-file-ends.ts";

const uri = inject("mongodbUri");
/** Drops databases; the storages have connections of their own. */
let janitor: MongoClient | undefined;

function openJanitor(): MongoClient {
  if (janitor) return janitor;
  const client = new MongoClient(uri);
  janitor = client;
  whenFileEnds(async () => {
    janitor = undefined;
    await client.close();
  });
  return client;
}

export async function mongodbPlace(): Promise<Place> {
  const database = `quern_test_${randomUUID()}`;
  return {
    storage: (options) => mongodbStorage({ uri, database, ...options }),
    remove: async () => void (await openJanitor().db(database).dropDatabase()),
  };
}
