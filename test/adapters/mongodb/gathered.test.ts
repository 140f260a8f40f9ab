// Documents of many cursors are decoded in turns: those that come together from the database do not hold the event loop together.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type Collection, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { type Cursor, gathered } from "../../../adapters/mongodb/read/gathered.ts";
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

/** A cursor that is among `long` from its second batch on until it is closed. */
class Watched implements Cursor {
  readonly #cursor: ReturnType<typeof all>;
  readonly #long: Set<Watched>;
  #batches = 0;

  constructor(cursor: ReturnType<typeof all>, long: Set<Watched>) {
    this.#cursor = cursor;
    this.#long = long;
  }

  get id() {
    return this.#cursor.id;
  }

  hasNext() {
    if (++this.#batches > 1) this.#long.add(this);
    return this.#cursor.hasNext();
  }

  readBufferedDocuments(most?: number) {
    return this.#cursor.readBufferedDocuments(most);
  }

  async close() {
    this.#long.delete(this);
    await this.#cursor.close();
  }
}

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

describe("cursors of one request that have several batches", () => {
  /** Gathers the documents of `count` cursors side by side. */
  async function together(count: number, budgetOf: (i: number) => Budget) {
    const long = new Set<Watched>();
    let most = 0;
    const found = await Promise.allSettled(
      Array.from({ length: count }, (_, i) => {
        const turn = async () => {
          most = Math.max(most, long.size);
        };
        return gathered(new Watched(collection.find({}, { batchSize: 500, sort: { _id: 1 } }), long), Object.assign(budgetOf(i), { turn }));
      }),
    );
    return { most, found };
  }

  it("go on two at a time", async () => {
    const shared = counting();
    const { most, found } = await together(6, () => shared);
    assert.equal(most, 2);
    for (const each of found) assert.ok(each.status === "fulfilled" && each.value.length === documents);
  });

  it("wait for those of no other request", async () => {
    const { most } = await together(6, () => counting());
    assert.ok(most > 2, `${most} at once`);
  });

  it("all end when the time is over", async () => {
    const budget = counting();
    let spent = 0;
    const { found } = await together(6, () =>
      Object.assign(budget, {
        spend() {
          if (++spent > 2) throw new Error("the time is over");
        },
      }),
    );
    assert.deepEqual(found.map(({ status }) => status).sort(), [...Array(2).fill("fulfilled"), ...Array(4).fill("rejected")]);
  });

  it("do not make those of a single batch wait", async () => {
    const budget = counting();
    const long = Array.from({ length: 3 }, () => gathered(collection.find({}, { batchSize: 500 }), budget));
    let ended = 0;
    for (const each of long) void each.then(() => ended++);
    assert.equal((await gathered(collection.find({ _id: { $lt: 300 } }, { batchSize: 500 }), budget)).length, 300);
    assert.ok(ended < 3);
    await Promise.all(long);
  });
});
