// The version of the server that the suite runs on, printed for the table in the README.

import { Db, MongoClient } from "mongodb";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import { mongodbStorage } from "../../../adapters/mongodb/index.ts";

it("a server of 6.0 or later is accepted, and the run prints its version", async () => {
  const client = await new MongoClient(inject("mongodbUri")).connect();
  onTestFinished(() => client.close());
  const { version } = await client.db("admin").command({ buildInfo: 1 });
  console.info(`The specs run on MongoDB ${version}.`);
  expect(Number.parseInt(version, 10)).toBeGreaterThanOrEqual(6);
  const storage = mongodbStorage({ uri: inject("mongodbUri"), database: `quern_test_version_${process.pid}` });
  await storage.open();
  await storage.close();
  await client.db(`quern_test_version_${process.pid}`).dropDatabase();
});

it("a server that is older is refused at the start, with the version that is needed", async () => {
  const command = Db.prototype.command;
  const asVersion5 = vi.spyOn(Db.prototype, "command").mockImplementation(async function (this: Db, asked, ...others) {
    const answer = await command.call(this, asked, ...others);
    return "hello" in asked ? { ...answer, maxWireVersion: 13 } : answer;
  });
  onTestFinished(() => asVersion5.mockRestore());
  const storage = mongodbStorage({ uri: inject("mongodbUri"), database: `quern_test_version_${process.pid}` });
  await expect(storage.open()).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
    message: expect.stringMatching(/^MongoDB at \S+ is older than 6\.0$/),
    hint: expect.stringContaining("Upgrade"),
  });
  await storage.close();
});
