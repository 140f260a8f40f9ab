// Documents of many cursors are decoded in turns: those that come together from the database do not hold the event loop together.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Collection, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { gathered } from "../../../adapters/mongodb/read/gathered.ts";
import type { Budget } from "../../../core/storage.ts";

const documents = 6_000;
const batchSize = 5_000;

let client: MongoClient;
let collection: Collection<Document & { _id: number }>;
beforeAll(async () => {
  client = await MongoClient.connect(inject("mongodbUri"));
  collection = client.db(`quern_test_${randomUUID()}`).collection("mills");
  await collection.insertMany(Array.from({ length: documents }, (_, _id) => ({ _id, name: `mill ${_id}` })));
});
afterAll(async () => {
  await client.db(collection.dbName).dropDatabase();
  await client.close();
});

/** Counts the turns; the one with this number ends the work. */
function counting(last = Number.POSITIVE_INFINITY): Budget & { turns: number } {
  return {
    touched: 0,
    deadline: Number.POSITIVE_INFINITY,
    turns: 0,
    spend() {},
    async turn() {
      if (++this.turns === last) throw new Error("the time is over");
    },
  };
}

const all = () => collection.find({}, { batchSize, sort: { _id: 1 } });

describe("documents of a cursor", () => {
  it("are all there, in order", async () => {
    const found = await gathered(all(), counting());
    assert.deepEqual(
      found.map(({ _id }) => _id),
      Array.from({ length: documents }, (_, i) => i),
    );
  });

  it("wait for a turn after the first ones, and for one with each further batch", async () => {
    const budget = counting();
    await gathered(all(), budget);
    assert.ok(budget.turns >= 2, `${budget.turns} turns`);
  });

  it("wait for none when they are few", async () => {
    const budget = counting();
    assert.equal((await gathered(collection.find({ _id: { $lt: 200 } }, { batchSize }), budget)).length, 200);
    assert.equal(budget.turns, 0);
  });

  it("are read no further when a turn says that the time is over, and the cursor is closed", async () => {
    const cursor = all();
    await assert.rejects(gathered(cursor, counting(1)), /the time is over/);
    assert.ok(cursor.killed);
  });
});
