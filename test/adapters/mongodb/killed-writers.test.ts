import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { inject, it, onTestFinished } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";
import { keepsTransactionsWhole } from "../../attack/crash/killed-bank.ts";
import { layoutOfRun } from "../../support/mongodb-layout.ts";
import { examples } from "../../support/properties.ts";

// A transaction of a killed server holds what it has written until MongoDB ends it, for a minute: the next round waits for that.
const rounds = examples(5);

it(`keeps each transaction whole when its server is killed, ${rounds} time(s) on one database`, async () => {
  const [uri, database] = [inject("mongodbUri"), `quern_test_${randomUUID()}`];
  onTestFinished(async () => {
    const client = await new MongoClient(uri).connect();
    await client.db(database).dropDatabase();
    await client.close();
  });
  await keepsTransactionsWhole({ place: [uri, database], storage: () => mongodbStorage({ uri, database, ...layoutOfRun }), rounds });
});
