// A database on the replica set of this run.

import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { inject } from "vitest";
import { mongodbStorage } from "../../adapters/mongodb/index.ts";
import { layoutOfRun } from "./mongodb-layout.ts";
import type { Place } from "./storage.ts";
import { whenFileEnds } from "./when-file-ends.ts";

const uri = inject("mongodbUri");
/** For a run on MongoDB 8.0 or later. */
const clientBulkWrite = process.env.QUERN_TEST_MONGODB_CLIENT_BULK_WRITE === "1";
/** Drops databases; the storages have connections of their own. */
let janitor: MongoClient | undefined;
/** The drop that goes on while the next test runs. */
let dropping: Promise<unknown> = Promise.resolve();

function openJanitor(): MongoClient {
  if (janitor) return janitor;
  const client = new MongoClient(uri);
  janitor = client;
  whenFileEnds(async () => {
    janitor = undefined;
    await dropping.finally(() => client.close());
  });
  return client;
}

/** Waits for the drop before this one only: no more than one database is there in excess. */
async function drop(database: string): Promise<void> {
  const client = openJanitor();
  await dropping;
  dropping = client.db(database).dropDatabase();
  // The next drop, or the end of the file, reports it.
  dropping.catch(() => {});
}

/** @param layout by default that of this run */
export async function mongodbPlace(layout: { readonly sharded: boolean } = layoutOfRun): Promise<Place> {
  const database = `quern_test_${randomUUID()}`;
  return {
    storage: (options) => mongodbStorage({ uri, database, clientBulkWrite, ...layout, ...options }),
    address: `${uri}#${database}`,
    remove: () => drop(database),
  };
}
